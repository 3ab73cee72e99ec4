#include "attend/tasks/translation/engine.h"

#include <algorithm>
#include <numeric>
#include <set>
#include <sstream>

#include "attend/error.h"
#include "tasks/translation/small_translator.h"
#include "tensor/expect_error.h"

namespace attend {
namespace {

TEST(TranslationEngine, AnswersAnEmptyLineWithAnEmptyLine) {
  const std::vector<Translation> results = translator().translate(
      std::vector<std::string>{"", "the dog", "  \t ", "", "a cat"}, beam_of(2, 2));
  for (const std::size_t empty : {0, 2, 3}) {
    ASSERT_EQ(results[empty].candidates.size(), 1u);
    EXPECT_EQ(results[empty].text(), "");
    EXPECT_TRUE(results[empty].candidates[0].tokens.empty());
    EXPECT_TRUE(results[empty].source_tokens.empty());
  }
  expect_same(results[4],
              translator().translate(std::vector<std::string>{"a cat"}, beam_of(2, 2))[0]);
  EXPECT_TRUE(translator().translate(std::vector<std::string>{}, {}).empty());
}

TEST(TranslationEngine, SaysWhichTokensAndHowLikely) {
  const TranslationModel& model = translator().model();
  const std::vector<Translation> results =
      translator().translate(random_sentences(20), beam_of(3, 3));
  for (const Translation& result : results) {
    ASSERT_EQ(result.candidates.size(), 3u);
    std::set<std::pair<std::vector<std::string>, std::size_t>> distinct;
    for (const TranslationCandidate& c : result.candidates) {
      std::vector<std::int32_t> ids;
      for (const std::string& token : c.tokens) ids.push_back(model.tgt_tokenizer.id(token));
      EXPECT_EQ(model.tgt_tokenizer.decode(ids), c.text);
      EXPECT_GE(c.token_scores.size(), c.tokens.size());
      EXPECT_LE(c.token_scores.size(), c.tokens.size() + 1);
      EXPECT_EQ(std::accumulate(c.token_scores.begin(), c.token_scores.end(), 0.0f),
                c.log_probability);
      EXPECT_FLOAT_EQ(c.log_probability / static_cast<float>(c.token_scores.size()), c.score);
      distinct.insert({c.tokens, c.token_scores.size()});
    }
    EXPECT_EQ(distinct.size(), 3u);
  }
}

TEST(TranslationEngine, ScoresWhatItTranslatedAsItSaid) {
  const TranslationModel& model = translator().model();
  const std::vector<std::string> sentences = random_sentences(40);
  std::vector<std::vector<std::int32_t>> src, tgt;
  std::vector<const TranslationCandidate*> said;
  const std::vector<Translation> results = translator().translate(sentences, beam_of(4, 4));
  for (std::size_t i = 0; i < sentences.size(); ++i) {
    for (const TranslationCandidate& candidate : results[i].candidates) {
      src.push_back(source_ids(model, sentences[i]));
      tgt.emplace_back();
      for (const std::string& token : candidate.tokens)
        tgt.back().push_back(model.tgt_tokenizer.id(token));
      said.push_back(&candidate);
    }
  }
  const std::vector<SequenceScore> scores = score_pairs(model, model.format.of({}), src, tgt);
  std::int64_t tokens = 0, equal_bits = 0;
  for (std::size_t i = 0; i < scores.size(); ++i) {
    const std::vector<float>& expected =
        said[i]->token_scores;  // without an end where the translation was cut
    ASSERT_EQ(scores[i].token_scores.size(), tgt[i].size() + 1);
    for (std::size_t k = 0; k < expected.size(); ++k) {
      EXPECT_NEAR(scores[i].token_scores[k], expected[k], 1e-5);
      ++tokens;
      equal_bits += scores[i].token_scores[k] == expected[k] ? 1 : 0;
    }
    if (expected.size() == tgt[i].size() + 1) {
      EXPECT_NEAR(scores[i].log_probability, said[i]->log_probability,
                  1e-5 * static_cast<double>(expected.size()));
    }
  }
  RecordProperty("equal_bits", std::to_string(equal_bits) + " of " + std::to_string(tokens));
}

TEST(TranslationEngine, ScoresTextsWithTheirEnd) {
  const TranslationModel& model = translator().model();
  using Ids = std::vector<std::vector<std::int32_t>>;
  const std::vector<std::string> src = random_sentences(70), tgt(70, "der alte hund");
  const auto scores = translator().score(src, tgt);
  ASSERT_EQ(scores.size(), 70u);
  for (std::size_t i = 0; i < src.size(); ++i) {
    const auto alone = score_pairs(model, model.format.of({}), Ids{source_ids(model, src[i])},
                                   Ids{model.tgt_tokenizer.encode(tgt[i])});
    EXPECT_EQ(scores[i].log_probability, alone[0].log_probability);
    EXPECT_EQ(scores[i].token_scores.size(), model.tgt_tokenizer.encode(tgt[i]).size() + 1);
  }
  EXPECT_EQ(translator()
                .score(std::vector<std::string>{"a cat"}, std::vector<std::string>{""})[0]
                .token_scores.size(),
            1u);
  expect_error<DataError>([&] { translator().score(src, std::vector<std::string>(3)); },
                          {"as many targets as sources", "3", "70"});
}

TEST(TranslationEngine, ScoresLineByLineUpToTheFirstThatIsWrong) {
  const std::vector<std::string> src = random_sentences(4), tgt(4, "der alte hund");
  const auto expected = translator().score(src, tgt);
  std::string good_src, good_tgt, endless;
  for (std::size_t i = 0; i < src.size(); ++i) {
    good_src += src[i] + "\n";
    good_tgt += tgt[i] + "\n";
  }
  for (int i = 0; i < 2000; ++i) endless += "hund ";
  const auto scores = [&](const std::string& more_src, const std::string& more_tgt) {
    std::istringstream src_text(good_src + more_src), tgt_text(good_tgt + more_tgt);
    LineReader src_lines(src_text, "in"), tgt_lines(tgt_text, "out");
    std::vector<SequenceScore> found;
    std::string message;
    try {
      translator().score(src_lines, tgt_lines,
                         {[&](const SequenceScore& score) { found.push_back(score); }});
    } catch (const DataError& error) {
      message = error.what();
    }
    EXPECT_EQ(found.size(), expected.size()) << message;
    for (std::size_t i = 0; i < std::min(found.size(), expected.size()); ++i)
      EXPECT_EQ(found[i].token_scores, expected[i].token_scores);
    return message;
  };
  EXPECT_EQ(scores("", ""), "");
  EXPECT_TRUE(scores("a cat\n", "\xff\n").starts_with("out:5: "));
  EXPECT_TRUE(scores("a \xff cat\n", "hund\n").starts_with("in:5: "));
  EXPECT_TRUE(scores("a cat\n", endless + "\n").starts_with("out:5: expected at most 1024 tokens"));
  EXPECT_EQ(scores("a cat\n", ""), "out ends at line 4, before in; expected as many lines in both");
  EXPECT_EQ(scores("", "hund\n"), "in ends at line 4, before out; expected as many lines in both");
}

TEST(TranslationEngine, DrawsSamplesByTheNumberOfTheSentence) {
  TranslationOptions options = beam_of(1);
  options.sampling = SamplingOptions{};
  options.sampling->max_length = 12;
  const std::vector<std::string> sentences = random_sentences(20);
  const std::vector<Translation> drawn = translator().translate(sentences, options);
  expect_same(translator().translate(sentences, options), drawn);
  options.batch_size = 3;
  expect_same(translator().translate(sentences, options), drawn);
  const std::vector<std::string> others{"a cat", sentences[1], "", sentences[3]};
  expect_same(translator().translate(others, options)[1], drawn[1]);
  expect_same(translator().translate(others, options)[3], drawn[3]);
  options.sampling->seed = 2;
  int differing = 0;
  const std::vector<Translation> redrawn = translator().translate(sentences, options);
  for (std::size_t i = 0; i < sentences.size(); ++i)
    differing += redrawn[i].text() != drawn[i].text() ? 1 : 0;
  EXPECT_GT(differing, 10);
}

TEST(TranslationEngine, DrawsSeveralSamplesOfEachSentence) {
  TranslationOptions options = beam_of(1);
  options.sampling = SamplingOptions{};
  options.sampling->max_length = 12;
  const std::vector<std::string> sentences{"a cat", "", "the old dog sees"};
  const std::vector<Translation> one = translator().translate(sentences, options);
  options.beam.n_best = 3;
  const std::vector<Translation> three = translator().translate(sentences, options);
  EXPECT_EQ(three[1].candidates.size(), 1u) << "an empty line has one, empty";
  for (const std::size_t i : {0u, 2u}) {
    ASSERT_EQ(three[i].candidates.size(), 3u);
    EXPECT_EQ(three[i].text(), one[i].text());
    std::set<std::string> texts;
    for (const TranslationCandidate& candidate : three[i].candidates) texts.insert(candidate.text);
    EXPECT_EQ(texts.size(), 3u);
  }
  options.batch_size = 1;
  expect_same(translator().translate(sentences, options), three);
}

TEST(TranslationEngine, DrawsOtherSamplesOfASentenceThatComesAgain) {
  TranslationOptions options = beam_of(1, 3);
  options.sampling = SamplingOptions{};
  options.sampling->max_length = 12;
  std::set<std::string> texts;
  for (const Translation& translation :
       translator().translate(std::vector<std::string>(3, "the old dog sees"), options))
    for (const TranslationCandidate& candidate : translation.candidates)
      texts.insert(candidate.text);
  EXPECT_EQ(texts.size(), 9u);
}

TEST(TranslationEngine, AlignsEveryTargetWordWithASourceWord) {
  const TranslationModel& model = translator().model();
  TranslationOptions options = beam_of(2, 2);
  options.alignment = true;
  for (const std::string& sentence : random_sentences(10)) {
    const std::size_t src_words =
        model.src_tokenizer.words(model.src_tokenizer.encode(sentence)).size();
    const Translation result = translator().translate(std::vector{sentence}, options)[0];
    for (const TranslationCandidate& candidate : result.candidates) {
      std::vector<std::int32_t> ids;
      for (const std::string& token : candidate.tokens)
        ids.push_back(model.tgt_tokenizer.id(token));
      ASSERT_EQ(candidate.alignment.size(), model.tgt_tokenizer.words(ids).size());
      for (std::size_t t = 0; t < candidate.alignment.size(); ++t) {
        EXPECT_LT(static_cast<std::size_t>(candidate.alignment[t].first), src_words);
        EXPECT_EQ(static_cast<std::size_t>(candidate.alignment[t].second), t);
      }
    }
  }
}

// Says bytes of line ends most of the time: whatever is read, what is projected to logits is the
// bias of the last normalization.
TranslationEngine says_line_ends() {
  const std::vector<std::string> sentences{"the old dog sees the small cat", "a cat eats the fish"};
  TokenizerOptions options;
  options.byte_fallback = true;
  options.vocab_size = 4 + 256 + 20;
  const Tokenizer tokenizer = Tokenizer::train(sentences, options);
  TransformerConfig config = small_config(tokenizer, tokenizer);
  config.norm_first = true;
  TranslationModel model{std::make_shared<Transformer>(config, 7), tokenizer, tokenizer};
  ParameterSet& parameters = model.network->parameters();
  for (const auto& entry : parameters.entries()) {
    const Tensor value = parameters.value(entry);
    if (entry.name == "decoder.norm.weight")
      std::fill(value.span().begin(), value.span().end(), 0.0f);
    if (entry.name == "decoder.norm.bias") value.data()[0] = 1.0f;
    if (entry.name != "tgt_embedding.weight") continue;
    for (std::int64_t v = 0; v < value.rows(); ++v) value.row(v)[0] = 0.0f;
    for (const char* piece : {"<0x0A>", "<0x0D>", "▁the", "</s>"})
      value.row(tokenizer.id(piece))[0] = 6.0f;
  }
  return TranslationEngine(std::move(model));
}

TEST(TranslationEngine, AnswersEveryLineWithOneLine) {
  const TranslationEngine translator = says_line_ends();
  const std::vector<std::string> sentences{"the old dog", "a cat", "the fish"};
  TranslationOptions searched = beam_of(4, 4), sampled = beam_of(1);
  sampled.sampling.emplace();
  sampled.sampling->max_length = 30;
  for (const TranslationOptions& options : {searched, sampled}) {
    int line_ends = 0;
    for (const Translation& translation : translator.translate(sentences, options)) {
      for (const TranslationCandidate& candidate : translation.candidates) {
        line_ends += static_cast<int>(
            std::count(candidate.tokens.begin(), candidate.tokens.end(), "<0x0A>"));
        EXPECT_EQ(candidate.text.find_first_of("\r\n"), std::string::npos);
      }
    }
    EXPECT_GT(line_ends, 0);
  }
}

// The small translator, as if it had been trained with two sentences of context.
const TranslationEngine& translator_with_context() {
  static const TranslationEngine result = [] {
    TranslationModel model = translator().model();
    model.format.context = {2, model.src_tokenizer.eos_id(), 100};
    return TranslationEngine(std::move(model));
  }();
  return result;
}

TranslationOptions options_with_context(int context) {
  TranslationOptions options = beam_of(2);
  options.context = context;
  return options;
}

TEST(TranslationEngine, ReadsASentenceWithThoseBeforeIt) {
  const TranslationEngine& engine = translator_with_context();
  EXPECT_EQ(engine.default_options().context, 2);
  EXPECT_EQ(translator().default_options().context, 0);
  const auto ids = [&](const std::vector<std::string>& sentences) {
    std::vector<std::int32_t> all;
    for (const std::string& sentence : sentences)
      for (const std::int32_t id : source_ids(engine.model(), sentence)) all.push_back(id);
    return TokenizedSentence{all};  // each ends with the separator, which is the end of sentence
  };
  const std::vector<std::string> sentences{"the dog", "a cat eats",  "old fish",
                                           "",        "small chips", "catch"};
  const std::vector<Translation> found = engine.translate(sentences, options_with_context(2));
  const std::vector<Translation> expected =
      engine.translate_ids({ids({sentences[0]}), ids({sentences[0], sentences[1]}),
                            ids({sentences[0], sentences[1], sentences[2]}), ids({}),
                            ids({sentences[4]}), ids({sentences[4], sentences[5]})},
                           beam_of(2));
  const std::vector<Translation> alone = engine.translate(sentences, options_with_context(0));
  std::size_t changed = 0;
  for (std::size_t i = 0; i < sentences.size(); ++i) {
    EXPECT_EQ(found[i].text(), expected[i].text()) << i;
    EXPECT_EQ(found[i].candidates[0].score, expected[i].candidates[0].score) << i;
    EXPECT_EQ(found[i].source_tokens, alone[i].source_tokens) << "without the context";
    if (found[i].candidates[0].score != alone[i].candidates[0].score) ++changed;
  }
  EXPECT_EQ(changed, 3u) << "all but the first of each document";
  expect_same(alone, translator().translate(sentences, beam_of(2)));
}

TEST(TranslationEngine, ReadsTheSameContextInLinesAndInDocuments) {
  const TranslationEngine& engine = translator_with_context();
  std::vector<std::string> sentences = random_sentences(40);
  for (const std::size_t empty : {7, 8, 20}) sentences[empty].clear();
  TranslationOptions options = options_with_context(2);
  options.alignment = true;
  const std::vector<Translation> expected = engine.translate(sentences, options);
  std::string lines;
  for (const std::string& sentence : sentences) lines += sentence + "\n";
  std::istringstream stream(lines);
  LineReader reader(stream, "lines");
  std::vector<Translation> found;
  options.window = 5;
  engine.translate(reader, {[&](const Translation& one) { found.push_back(one); }}, options);
  expect_same(found, expected);
  for (const Translation& one : expected)
    for (const auto& [source, target] : one.candidates[0].alignment)
      EXPECT_LT(source, std::ssize(one.source_tokens)) << "words of the sentence";

  std::vector<std::string> without;
  std::vector<Translation> kept;
  for (std::size_t i = 0; i < sentences.size(); ++i) {
    if (sentences[i].empty()) {
      options.documents.push_back(without.size());
      continue;
    }
    without.push_back(sentences[i]);
    kept.push_back(expected[i]);
  }
  expect_same(engine.translate(without, options), kept);
}

TEST(TranslationEngine, LeavesOutContextThatThereIsNoRoomFor) {
  const TranslationEngine& engine = translator_with_context();
  TranslationOptions options = options_with_context(2);
  const std::vector<std::string> sentences{"the dog the dog", "a cat", "fish"};
  options.max_source_tokens = 5;
  std::vector<std::string> shorter{"a cat", "fish"};
  expect_same(engine.translate(sentences, options)[2],
              engine.translate(shorter, options_with_context(2))[1]);
  options.context = 3;
  expect_error<ConfigError>([&] { engine.translate(sentences, options); },
                            {"context", "2 sentences", "3"});
}

}  // namespace
}  // namespace attend
