#include "attend/inspect/attention_page.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <array>
#include <nlohmann/json.hpp>
#include <regex>
#include <set>

#include "attend/error.h"
#include "attend/inspect/explored_answer.h"
#include "attend/inspect/explorer.h"
#include "attend/models/make_encoder_decoder.h"
#include "attend/tasks/explanation/attention_maps.h"
#include "checkpoint/test_folder.h"
#include "core/occurrences.h"
#include "tasks/model_checkpoint.h"
#include "tasks/small_model.h"

namespace attend {
namespace {

std::string between(const std::string& text, const std::string& before, const std::string& after) {
  const std::size_t begin = text.find(before);
  if (begin == std::string::npos) return "";
  const std::size_t from = begin + before.size();
  return text.substr(from, text.find(after, from) - from);
}

std::vector<int> bytes_of_base64(const std::string& text) {
  const std::string digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::vector<int> bytes;
  unsigned bits = 0;
  int held = 0;
  for (const char c : text) {
    if (c == '=') break;
    EXPECT_NE(digits.find(c), std::string::npos) << c;
    bits = bits << 6 | static_cast<unsigned>(digits.find(c));
    if ((held += 6) >= 8) bytes.push_back(static_cast<int>(bits >> (held -= 8) & 255));
  }
  EXPECT_EQ(text.size(), (bytes.size() + 2) / 3 * 4);
  return bytes;
}

class AttentionPage : public FolderTest {
 protected:
  std::string page(const std::string& source, const std::string& target) const {
    return attention_page(translator_.model(), given_pair(translator_, source, target));
  }
  static nlohmann::json recorded(const std::string& page) {
    return nlohmann::json::parse(
        between(page, "<script type=\"application/json\" id=\"recorded\">", "</script>"));
  }
  static nlohmann::json answer(const std::string& page) {
    return recorded(page).at("answers").at("/explore");
  }
  static nlohmann::json data(const std::string& page) { return answer(page).at("attention"); }
  static std::vector<std::string> texts(const nlohmann::json& labels) {
    std::vector<std::string> list;
    for (const auto& label : labels) list.push_back(label.at("text"));
    return list;
  }

  const TranslationEngine translator_{small_model()};
};

TEST_F(AttentionPage, HoldsEveryWord) {
  const auto axes = data(page("the old dog", "der alte hund")).at("axes");
  EXPECT_EQ(texts(axes["source"]["words"]),
            (std::vector<std::string>{"the", "old", "dog", "</s>"}));
  EXPECT_EQ(texts(axes["written"]["words"]),
            (std::vector<std::string>{"der", "alte", "hund", "</s>"}));
  EXPECT_EQ(texts(axes["read"]["words"]), (std::vector<std::string>{"<s>", "der", "alte", "hund"}));
  EXPECT_EQ(axes["written"]["words"][3]["marks"], "end");
  EXPECT_EQ(axes["read"]["words"][0]["marks"], "start");
  EXPECT_FALSE(axes["read"]["words"][1].contains("marks"));
}

TEST_F(AttentionPage, HoldsEveryPiece) {
  const Tokenizer& tokenizer = translator_.model().src_tokenizer;
  std::vector<std::string> pieces;
  for (const std::int32_t id : source_ids(translator_.model(), "dogs catch fish"))
    pieces.push_back(tokenizer.piece(id));
  ASSERT_GT(pieces.size(), 4u);
  EXPECT_EQ(texts(data(page("dogs catch fish", "hund")).at("axes")["source"]["pieces"]), pieces);
}

TEST_F(AttentionPage, HoldsTheWeightsOfEveryLayerAndHead) {
  const ScoredPair pair = given_pair(translator_, "dogs catch the small fish", "der alte fisch");
  const AttentionMaps maps =
      attention_maps(translator_.model(), translator_.model().format.of({}), pair.src, pair.tgt);
  const auto embedded = data(attention_page(translator_.model(), pair));
  const double scale = embedded.at("scale");
  const auto expect_weights = [&](const char* kind,
                                  const std::vector<std::vector<AttentionMap>>& layers) {
    const auto& pieces = embedded.at("maps").at(kind).at("pieces");
    ASSERT_EQ(pieces.size(), layers.size());
    for (std::size_t layer = 0; layer < layers.size(); ++layer) {
      ASSERT_EQ(pieces[layer].size(), layers[layer].size());
      for (std::size_t head = 0; head < layers[layer].size(); ++head) {
        const std::vector<int> bytes = bytes_of_base64(pieces[layer][head]);
        const std::vector<float>& weights = layers[layer][head].weights;
        ASSERT_EQ(bytes.size(), weights.size());
        for (std::size_t i = 0; i < bytes.size(); ++i)
          EXPECT_NEAR(bytes[i] / scale, weights[i], 0.5 / scale + 1e-6);
      }
    }
  };
  expect_weights("encoder", maps.encoder);
  expect_weights("decoder", maps.decoder);
  expect_weights("cross", maps.cross);
}

TEST_F(AttentionPage, GivesEveryWordWeightsThatSumToOne) {
  const auto embedded = data(page("dogs catch the small fish", "der alte hund fischt"));
  const double scale = embedded.at("scale");
  const auto& axes = embedded.at("axes");
  const std::vector<std::array<std::string, 3>> kinds{{"encoder", "source", "source"},
                                                      {"decoder", "written", "read"},
                                                      {"cross", "written", "source"}};
  for (const auto& [kind, row_axis, col_axis] : kinds) {
    const std::size_t rows = axes[row_axis]["words"].size(), cols = axes[col_axis]["words"].size();
    for (const auto& layer : embedded["maps"][kind]["words"]) {
      for (const auto& head : layer) {
        const std::vector<int> bytes = bytes_of_base64(head);
        ASSERT_EQ(bytes.size(), rows * cols) << kind;
        for (std::size_t row = 0; row < rows; ++row) {
          double sum = 0;
          for (std::size_t col = 0; col < cols; ++col) sum += bytes[row * cols + col] / scale;
          EXPECT_NEAR(sum, 1.0, 0.5 * static_cast<double>(cols) / scale)
              << kind << " row " << row;  // each is rounded
        }
      }
    }
  }
}

TEST_F(AttentionPage, NamesTheRowsAfterWhatIsWritten) {
  // The row that writes the first word has read nothing but the start: its weight on it is one.
  const auto embedded = data(page("the old dog", "der alte hund"));
  const std::vector<int> bytes = bytes_of_base64(embedded["maps"]["decoder"]["pieces"][0][0]);
  EXPECT_EQ(embedded["axes"]["read"]["pieces"][0]["marks"], "start");
  EXPECT_EQ(bytes[0], embedded["scale"]);
  EXPECT_EQ(bytes[1], 0);
}

TEST_F(AttentionPage, EscapesItsTexts) {
  const std::string nasty = "</script><b>&\"' old";
  const std::string plain = page("the old dog", "der alte hund"), html = page(nasty, nasty);
  EXPECT_EQ(html.find("<b>"), std::string::npos);
  EXPECT_EQ(occurrences(html, "</script>"), occurrences(plain, "</script>"));
  EXPECT_EQ(occurrences(html, "<script"), occurrences(plain, "<script"));
  EXPECT_EQ(occurrences(html, "&lt;/script&gt;&lt;b&gt;&amp;&quot;&#39; old"), 3u)
      << "in the title, and twice for readers without JavaScript";
  EXPECT_EQ(recorded(html).at("text"), nasty);
  EXPECT_EQ(answer(html).at("translation"), nasty);
  EXPECT_EQ(texts(data(html).at("axes")["source"]["words"]),
            (std::vector<std::string>{"</script><b>&\"'", "old", "</s>"}));
}

TEST_F(AttentionPage, KeepsTheLinesOfATextAndTitlesThePageInOne) {
  const std::string html = page("the old\n// dog", "der\n  hund");
  EXPECT_NE(html.find("<title>Attention: the old // dog</title>"), std::string::npos);
  EXPECT_EQ(recorded(html).at("text"), "the old\n// dog");
}

TEST_F(AttentionPage, HasItsAnswerInWordsForReadersWithoutJavaScript) {
  const ScoredPair pair = given_pair(translator_, "the </noscript> old\n dog", "der <!-- hund");
  const std::string html = attention_page(translator_.model(), pair);
  const std::string plain = between(html, "<noscript>", "</noscript>");
  EXPECT_NE(plain.find("<h2>Source</h2><p dir=\"auto\">the &lt;/noscript&gt; old<br> dog</p>"
                       "<h2>Translation</h2><p dir=\"auto\">der &lt;!-- hund</p>"),
            std::string::npos)
      << plain;
  EXPECT_NE(plain.find(fmt::format("<p>log-probability −{:.2f}</p>", -pair.log_probability)),
            std::string::npos);
  EXPECT_NE(plain.find("JavaScript"), std::string::npos);
  EXPECT_EQ(occurrences(html, "</noscript>"), 1u);
  const std::string asking = explorer_page_file("explore.html");
  EXPECT_NE(between(asking, "<noscript>", "</noscript>").find("JavaScript"), std::string::npos);
}

TEST_F(AttentionPage, HoldsWhatHeadsDoIfThatWasMeasured) {
  EXPECT_EQ(recorded(page("the old dog", "der alte hund")).at("heads"), nlohmann::json::array());
  const ScoredPair pair = given_pair(translator_, "the old dog", "der alte hund");
  const std::string html =
      attention_page(translator_.model(), pair, {{"encoder.layers.0.self_attn", 2, -0.5f}});
  EXPECT_EQ(
      recorded(html).at("heads"),
      (nlohmann::json{{{"module", "encoder.layers.0.self_attn"}, {"head", 2}, {"change", -0.5}}}));
  EXPECT_NE(html.find("id=\"ranking\""), std::string::npos);
}

TEST_F(AttentionPage, LeavesTemplateMarksInTextsAlone) {
  const std::string html = page("{{data}} {{page.css}}", "{{data}}");
  EXPECT_NE(html.find("<title>Attention: {{data}} {{page.css}}</title>"), std::string::npos);
  EXPECT_EQ(recorded(html).at("text"), "{{data}} {{page.css}}");
  EXPECT_EQ(between(html, "<script type=\"module\">", "</script>").find("{{"), std::string::npos);
}

TEST_F(AttentionPage, NeedsNoNetwork) {
  const std::string html = page("the old dog", "der alte hund");
  EXPECT_NE(html.find("default-src 'none'"), std::string::npos);
  for (const char* address : {"http:", "https:", " src=", "url(", "@import", "fetch("})
    EXPECT_EQ(html.find(address), std::string::npos) << address;
}

// One scale of texts, and one of distances, as page.css says; what follows the size of the figure
// is calculated.
TEST_F(AttentionPage, HasOneScaleOfTextsAndOneOfDistances) {
  const std::string styles = explorer_page_file("explore.css");
  const std::regex rule("(font-size|gap|margin[a-z-]*|padding[a-z-]*):([^;{}]*)");
  const std::regex length("(^|[ -])([0-9.]+)rem");
  std::size_t found = 0;
  for (std::sregex_iterator it(styles.begin(), styles.end(), rule), end; it != end; ++it) {
    const std::string property = (*it)[1], value = (*it)[2];
    if (value.find('(') != std::string::npos) continue;
    const std::set<std::string> scale =
        property == "font-size" ? std::set<std::string>{"0.75", "0.875", "1", "1.25", "1.75"}
                                : std::set<std::string>{"0.125", "0.25", "0.5", "1", "1.5", "2.5"};
    for (std::sregex_iterator one(value.begin(), value.end(), length); one != end; ++one, ++found)
      EXPECT_TRUE(scale.contains((*one)[2])) << property << ": " << value;
  }
  EXPECT_GT(found, 100u);
}

TEST_F(AttentionPage, IsAFunctionOfItsInput) {
  const TranslationEngine same{small_model()};
  const ScoredPair pair = given_pair(translator_, "the old dog", "der alte hund");
  EXPECT_EQ(attention_page(translator_.model(), pair),
            attention_page(same.model(), given_pair(same, "the old dog", "der alte hund")));
  EXPECT_NE(attention_page(translator_.model(), pair), page("the old dog", "der hund"));
}

TEST_F(AttentionPage, ShowsTheScore) {
  const ScoredPair pair = given_pair(translator_, "the old dog", "der alte hund");
  const std::vector<std::string> src{"the old dog"}, tgt{"der alte hund"};
  const auto score = translator_.score(src, tgt).front();
  EXPECT_FLOAT_EQ(pair.log_probability, score.log_probability);
  EXPECT_FLOAT_EQ(answer(attention_page(translator_.model(), pair)).at("log_probability"),
                  score.log_probability);
}

TEST_F(AttentionPage, ShowsTheTokensThatWereDecoded) {
  TranslationOptions options;
  options.beam.min_length = 3;
  options.beam.max_length = 8;
  const ScoredPair pair = translated_pair(translator_, "the old dog", options);
  const std::vector<std::string> sources{"the old dog"};
  const TranslationCandidate best =
      translator_.translate(sources, options).front().candidates.front();
  EXPECT_EQ(pair.target, best.text);
  EXPECT_EQ(pair.log_probability, best.log_probability);
  std::vector<std::string> pieces = best.tokens;
  pieces.push_back("</s>");
  EXPECT_EQ(texts(data(attention_page(translator_.model(), pair)).at("axes")["written"]["pieces"]),
            pieces);
}

TEST_F(AttentionPage, GivesTheEndOfATranslationThatWasCutOffNoProbability) {
  TranslationOptions options;
  options.beam.min_length = 3;
  options.beam.max_length = 3;
  const ScoredPair pair = translated_pair(translator_, "the old dog", options);
  ASSERT_EQ(pair.token_scores.size(), pair.tgt.size()) << "it was not cut off";
  const std::string text = attention_page(translator_.model(), pair);
  const nlohmann::json pieces = data(text).at("axes")["written"]["pieces"];
  ASSERT_EQ(pieces.size(), 4u);
  EXPECT_TRUE(pieces[2].contains("log_probability"));
  EXPECT_FALSE(pieces[3].contains("log_probability")) << pieces[3];
}

// One maker: what a server would answer.
TEST_F(AttentionPage, HoldsTheAnswersOfTheExplorer) {
  save_checkpoint(path("model.safetensors"), checkpoint_of(translator_.model()));
  const Explorer explorer(LoadedModel::load(path("model.safetensors")));
  const Exploration question{.text = "the old dog", .translation = "der alte hund"};
  const nlohmann::json answers = recorded(page("the old dog", "der alte hund")).at("answers");
  const auto parsed = [](const nlohmann::ordered_json& json) {
    return nlohmann::json::parse(json.dump());
  };
  EXPECT_EQ(answers.at("/explore"), parsed(explorer.explore(question)));
  EXPECT_EQ(answers.at("/explore/inside"), parsed(explorer.inside(question)));
  EXPECT_EQ(answers.size(), 2u);
  const ScoredPair pair = given_pair(translator_, "the old dog", "der alte hund");
  EXPECT_EQ(answers.at("/explore"), parsed(explored_answer(translator_.model(), pair)));
}

TEST_F(AttentionPage, SaysWhyThereIsNoFigure) {
  TranslationModel model = small_model();
  RecurrentConfig config;
  config.d_model = 16;
  config.src_vocab_size = model.src_tokenizer.vocab_size();
  config.tgt_vocab_size = model.tgt_tokenizer.vocab_size();
  config.tie_embeddings = TiedEmbeddings::target;
  model.network = make_encoder_decoder(config, 1);
  const TranslationEngine recurrent(model);
  const auto answers =
      recorded(attention_page(recurrent.model(), given_pair(recurrent, "the dog", "der hund")))
          .at("answers");
  EXPECT_EQ(answers.at("/explore/inside"),
            (nlohmann::json{{"error",
                             "what is inside a model: expected a Transformer, found a "
                             "recurrent network"}}));
  EXPECT_TRUE(answers.at("/explore").contains("attention"));
}

TEST_F(AttentionPage, HasNoFigureOfMoreNumbersThanABrowserOpensQuickly) {
  std::string text;
  for (int i = 0; i < 120; ++i) text += "a ";
  const auto inside = recorded(page(text, text)).at("answers").at("/explore/inside");
  ASSERT_TRUE(inside.contains("error")) << "of a text of 240 tokens";
  EXPECT_NE(inside.at("error").get<std::string>().find("at most 8 MB"), std::string::npos)
      << inside;
}

TEST_F(AttentionPage, AsksNothingThatWasNotRecorded) {
  const std::string html = page("the old dog", "der alte hund");
  for (const char* const part : {"id=\"ask\"", "id=\"controls\"", "<form", "<textarea", "/explain",
                                 "/explore/heads", "/explore/draw", "/explore/words"})
    EXPECT_EQ(html.find(part), std::string::npos) << part;
}

TEST_F(AttentionPage, RefusesWhatItCannotShow) {
  EXPECT_THROW(given_pair(translator_, "", "hund"), DataError);
  EXPECT_THROW(given_pair(translator_, "dog", "  "), DataError);
  EXPECT_THROW(given_pair(translator_, "dog \xff", "hund"), DataError);
  EXPECT_THROW(translated_pair(translator_, " ", {}), DataError);
  std::string long_text;
  for (int i = 0; i <= kMaxPageTokens; ++i) long_text += "the ";
  EXPECT_THROW(given_pair(translator_, long_text, "hund"), DataError);
  EXPECT_THROW(given_pair(translator_, "dog", long_text), DataError);
}

}  // namespace
}  // namespace attend
