#include "attend/inspect/attention_page.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <nlohmann/json.hpp>
#include <numeric>
#include <span>
#include <string_view>

#include "attend/core/embedded_file.h"
#include "attend/core/utf8.h"
#include "attend/error.h"
#include "attend/tasks/attention_maps.h"

namespace attend {

std::span<const EmbeddedFile> attention_page_files();  // inspect/attention_page/

namespace {

using Json = nlohmann::ordered_json;

constexpr int kScale = 255;  // weights are multiples of 1/kScale

std::vector<std::int32_t> encode(const Tokenizer& tokenizer, const std::string& text,
                                 std::string_view what) {
  if (!is_utf8(text))
    throw DataError(
        fmt::format("{}: expected UTF-8, found other bytes at {}", what, find_invalid_utf8(text)));
  std::vector<std::int32_t> ids = tokenizer.encode(text);
  if (ids.empty()) throw DataError(fmt::format("{}: expected some words, found none", what));
  return ids;
}

void check_length(const std::vector<std::int32_t>& ids, std::string_view what) {
  if (static_cast<std::int64_t>(ids.size()) > kMaxPageTokens)
    throw DataError(fmt::format(
        "{}: expected at most {} tokens, the limit of an attention page, found {}; shorten it",
        what, kMaxPageTokens, ids.size()));
}

std::vector<std::int32_t> encode_source(const TranslationModel& model, const std::string& source,
                                        const LanguagePair& languages) {
  std::vector<std::int32_t> ids =
      model.format.of(languages).around(encode(model.src_tokenizer, source, "the text"));
  check_length(ids, "the text");
  return ids;
}

// ---- data

std::string base64(std::span<const std::uint8_t> bytes) {
  static constexpr std::string_view kDigits =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string text;
  text.reserve((bytes.size() + 2) / 3 * 4);
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    const std::size_t count = std::min<std::size_t>(3, bytes.size() - i);
    std::uint32_t group = 0;
    for (std::size_t k = 0; k < 3; ++k) group = group << 8 | (k < count ? bytes[i + k] : 0u);
    for (std::size_t k = 0; k < 4; ++k)
      text += k <= count ? kDigits[group >> (18 - 6 * k) & 63] : '=';
  }
  return text;
}

std::string weights_text(const AttentionMap& map) {
  std::vector<std::uint8_t> bytes;
  bytes.reserve(map.weights.size());
  for (const float weight : map.weights)
    bytes.push_back(
        static_cast<std::uint8_t>(std::lround(std::clamp(weight, 0.0f, 1.0f) * kScale)));
  return base64(bytes);
}

// The labels of the rows or columns of a map: ids, grouped into tokens and words.
struct AxisLabels {
  const Tokenizer& tokenizer;
  std::vector<std::int32_t> ids;
  std::vector<Tokenizer::Word> words;

  AxisLabels(const Tokenizer& t, std::vector<std::int32_t> i)
      : tokenizer(t), ids(std::move(i)), words(t.words(ids)) {}

  Json json() const {
    Json word_labels = Json::array(), piece_labels = Json::array();
    for (const Tokenizer::Word& word : words)
      word_labels.push_back(label(word.text, ids[static_cast<std::size_t>(word.begin)]));
    for (const std::int32_t id : ids) piece_labels.push_back(label(tokenizer.piece(id), id));
    return {{"words", word_labels}, {"pieces", piece_labels}};
  }

 private:
  Json label(const std::string& text, std::int32_t id) const {
    Json json{{"text", text}};
    if (id == tokenizer.bos_id()) json["marks"] = "start";
    if (id == tokenizer.eos_id()) json["marks"] = "end";
    return json;
  }
};

Json maps_json(const std::vector<std::vector<AttentionMap>>& layers, const AxisLabels& rows,
               const AxisLabels& cols) {
  Json words = Json::array(), pieces = Json::array();
  for (const std::vector<AttentionMap>& heads : layers) {
    Json word_heads = Json::array(), piece_heads = Json::array();
    for (const AttentionMap& head : heads) {
      word_heads.push_back(weights_text(word_map(head, rows.words, cols.words)));
      piece_heads.push_back(weights_text(head));
    }
    words.push_back(std::move(word_heads));
    pieces.push_back(std::move(piece_heads));
  }
  return {{"words", std::move(words)}, {"pieces", std::move(pieces)}};
}

// Rows of decoder and cross are named after the token written there (the last one: eos), columns of
// decoder after the tokens read so far (the first ones: what it begins with).
Json page_data(const TranslationModel& model, const ScoredPair& pair) {
  const AttentionMaps maps =
      attention_maps(model, model.format.of(pair.languages), pair.src, pair.tgt);
  std::vector<std::int32_t> written_ids = pair.tgt;
  written_ids.push_back(model.tgt_tokenizer.eos_id());
  const AxisLabels source(model.src_tokenizer, maps.src), written(model.tgt_tokenizer, written_ids),
      read(model.tgt_tokenizer, maps.tgt);
  return {{"scale", kScale},
          {"axes", {{"source", source.json()}, {"written", written.json()}, {"read", read.json()}}},
          {"maps",
           {{"encoder", maps_json(maps.encoder, source, source)},
            {"decoder", maps_json(maps.decoder, written, read)},
            {"cross", maps_json(maps.cross, written, source)}}}};
}

template <class Model>
Json encoder_data(const Model& model, const std::vector<std::int32_t>& text) {
  const AxisLabels words(model.tokenizer, text);
  const Json none{{"words", Json::array()}, {"pieces", Json::array()}};
  return {{"scale", kScale},
          {"axes", {{"source", words.json()}}},
          {"maps",
           {{"encoder", maps_json(attention_maps(model, text), words, words)},
            {"decoder", none},
            {"cross", none}}}};
}

// ---- text

std::string replaced(std::string_view text, const std::map<char, std::string_view>& replacements) {
  std::string result;
  for (const char c : text) {
    const auto found = replacements.find(c);
    found == replacements.end() ? result += c : result += found->second;
  }
  return result;
}

std::string html_escaped(std::string_view text) {
  return replaced(text,
                  {{'&', "&amp;"}, {'<', "&lt;"}, {'>', "&gt;"}, {'"', "&quot;"}, {'\'', "&#39;"}});
}

// JSON for use inside <script>: cannot close the element or open a comment.
std::string script_json(const Json& json) {
  return replaced(json.dump(-1, ' ', false, Json::error_handler_t::replace),
                  {{'<', "\\u003c"}, {'>', "\\u003e"}, {'&', "\\u0026"}});
}

std::string score_text(const ScoredPair& pair) {
  const double per_token =
      static_cast<double>(pair.log_probability) / static_cast<double>(pair.tgt.size() + 1);
  return fmt::format("log-probability {:.2f}, {:.1f} % per token", pair.log_probability,
                     100 * std::exp(per_token));
}

std::string_view embedded(std::string_view name) {
  for (const EmbeddedFile& file : attention_page_files()) {
    if (file.name == name) return file.content;
  }
  throw Error(fmt::format("attention page: no file {} in this build", name));
}

using Values = std::map<std::string_view, std::string>;

// A file with every {{name}} replaced: by a value, else by the file of that name. What is put in is
// not looked at again.
std::string filled(std::string_view file, const Values& values) {
  std::string_view rest = embedded(file);
  std::string page;
  for (std::size_t open; (open = rest.find("{{")) != std::string_view::npos;) {
    const std::size_t close = rest.find("}}", open);
    const std::string_view name = rest.substr(open + 2, close - open - 2);
    const auto value = values.find(name);
    page += rest.substr(0, open);
    page += value == values.end() ? embedded(name) : value->second;
    rest.remove_prefix(close + 2);
  }
  return page += rest;
}

// ---- a classified text

// From the most probable class to the least; of equal ones the first comes first.
std::string class_rows(const std::vector<std::string>& labels, const Classification& found) {
  std::vector<std::size_t> order(labels.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return found.probabilities[a] > found.probabilities[b];
  });
  std::string rows;
  for (const std::size_t i : order) {
    const float share = found.probabilities[i];
    rows += fmt::format(
        "<tr><th scope=\"row\" dir=\"auto\">{}</th><td>{:.1f} %</td><td class=\"bar\"><span "
        "style=\"width: {:.1f}%\"></span></td></tr>\n",
        html_escaped(labels[i]), 100 * share, 100 * share);
  }
  return rows;
}

// How the probability of the label changes without the word.
float change_of(const WordEffect& effect, const Classification& found) {
  return *effect.probability_without - found.probability();
}

// A word whose absence lowers the probability speaks for the class. Shades grow with the square
// root of the change, as those of weights do.
std::string effect_span(const WordEffect& effect, const Classification& found) {
  const std::string word = html_escaped(effect.word);
  if (!effect.probability_without) return word;
  const float change = change_of(effect, found);
  return fmt::format(
      "<span class=\"{}\" style=\"--shade: {:.3f}\" title=\"without it: {:.1f} % ({:+.1f} "
      "points)\">{}</span>",
      change <= 0 ? "for" : "against", std::sqrt(std::abs(change)),
      100 * *effect.probability_without, 100 * change, word);
}

std::string explanation(const std::string& label, const ClassifiedText& text) {
  std::string words;
  for (const WordEffect& effect : text.effects)
    words += (words.empty() ? "" : " ") + effect_span(effect, text.classes);
  return filled("why.html", {{"words", words}, {"label", html_escaped(label)}});
}

}  // namespace

ScoredPair translated_pair(const TranslationEngine& translator, const std::string& source,
                           const TranslationOptions& options) {
  ScoredPair pair;
  pair.source = source;
  pair.src = encode_source(translator.model(), source, options.languages);
  pair.languages = options.languages;
  const std::vector<Translation> translations =
      translator.translate(std::span(&source, 1), options);
  const TranslationCandidate& best = translations.front().candidates.front();
  if (best.tokens.empty())
    throw DataError(
        "the translation is empty: there is no attention to show; give one with --target");
  pair.target = best.text;
  pair.log_probability = best.log_probability;
  for (const std::string& token : best.tokens)
    pair.tgt.push_back(translator.model().tgt_tokenizer.id(token));
  check_length(pair.tgt, "the translation");
  return pair;
}

ScoredPair given_pair(const TranslationEngine& translator, const std::string& source,
                      const std::string& target, const LanguagePair& languages) {
  ScoredPair pair{source,
                  target,
                  encode_source(translator.model(), source, languages),
                  encode(translator.model().tgt_tokenizer, target, "the target"),
                  0.0f,
                  languages};
  check_length(pair.tgt, "the target");
  pair.log_probability =
      translator.score(std::span(&source, 1), std::span(&target, 1), {}, languages)
          .front()
          .log_probability;
  return pair;
}

std::string attention_page(const TranslationModel& model, const ScoredPair& pair) {
  const std::string source = html_escaped(pair.source);
  return filled("page.html", {{"title", source},
                              {"head", filled("pair.html", {{"source", source},
                                                            {"target", html_escaped(pair.target)},
                                                            {"score", score_text(pair)}})},
                              {"begin", ""},
                              {"end", ""},
                              {"data", script_json(page_data(model, pair))}});
}

ClassifiedText classified_text(const ClassificationEngine& classifier, const std::string& text) {
  const ClassificationModel& model = classifier.model();
  if (model.pairs || model.problem_type() == ProblemType::regression)
    throw ConfigError(fmt::format("{}: expected a classifier of single texts, found one of {}",
                                  model.source, model.pairs ? "pairs" : "numbers"));
  encode(classifier.model().tokenizer, text, "the text");
  ClassifiedText result{text, classifier.model().ids(text), {}, {}, {}};
  result.classes = classifier.classify(std::span(&text, 1)).front();
  result.entropy = attention_entropy(attention_maps(classifier.model(), result.ids));
  return result;
}

ClassifiedText explained_text(const ClassificationEngine& classifier, const std::string& text) {
  ClassifiedText result = classified_text(classifier, text);
  result.effects = word_effects(classifier, text, result.classes.label);
  return result;
}

std::string attention_page(const ClassificationModel& model, const ClassifiedText& text) {
  const std::string& label = model.labels[text.classes.label];
  const bool explained = !text.effects.empty();  // then the text has been shown above the maps
  return filled("page.html",
                {{"title", html_escaped(text.text)},
                 {"head", filled("label.html", {{"label", html_escaped(label)},
                                                {"classes", class_rows(model.labels, text.classes)},
                                                {"why", explained ? explanation(label, text) : ""},
                                                {"entropy", text.entropy.summary()}})},
                 {"begin", explained ? "<details>\n<summary>Maps of attention</summary>\n" : ""},
                 {"end", explained ? "</details>\n" : ""},
                 {"data", script_json(encoder_data(model, text.ids))}});
}

EmbeddedText embedded_text(const EmbeddingModel& model, const std::string& text) {
  encode(model.tokenizer, text, "the text");
  EmbeddedText result{text, model.ids(text), {}};
  check_length(result.ids, "the text");
  result.entropy = attention_entropy(attention_maps(model, result.ids));
  return result;
}

std::string attention_page(const EmbeddingModel& model, const EmbeddedText& text) {
  return filled("page.html", {{"title", html_escaped(text.text)},
                              {"head", filled("text.html", {{"entropy", text.entropy.summary()}})},
                              {"begin", ""},
                              {"end", ""},
                              {"data", script_json(encoder_data(model, text.ids))}});
}

}  // namespace attend
