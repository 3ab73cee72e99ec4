#include "attend/inspect/attention_data.h"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <numeric>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "attend/core/json/json_text.h"
#include "attend/tasks/explanation/attention_change.h"
#include "attend/tasks/explanation/attention_maps.h"

namespace attend {

namespace {

using Json = nlohmann::ordered_json;

constexpr int kScale = 255;  // weights are multiples of 1/kScale

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

// The labels of the rows or columns of a map: ids, grouped into tokens and words. `scores`: the
// log-probability of each id, or nothing.
struct AxisLabels {
  const Tokenizer& tokenizer;
  std::vector<std::int32_t> ids;
  std::vector<float> scores;
  std::vector<Tokenizer::Word> words;

  AxisLabels(const Tokenizer& t, std::vector<std::int32_t> i, std::vector<float> s = {})
      : tokenizer(t), ids(std::move(i)), scores(std::move(s)), words(t.words(ids)) {}

  Json json() const {
    Json word_labels = Json::array(), piece_labels = Json::array();
    for (const Tokenizer::Word& word : words)
      word_labels.push_back(label(word.text, word.begin, word.end));
    for (std::int32_t i = 0; i < std::ssize(ids); ++i)
      piece_labels.push_back(label(tokenizer.piece(ids[static_cast<std::size_t>(i)]), i, i + 1));
    return {{"words", word_labels}, {"pieces", piece_labels}};
  }

 private:
  // Labels the ids [begin, end).
  Json label(const std::string& text, std::int32_t begin, std::int32_t end) const {
    Json json{{"text", text}};
    const std::int32_t id = ids[static_cast<std::size_t>(begin)];
    if (id == tokenizer.bos_id()) json["marks"] = "start";
    if (id == tokenizer.eos_id()) json["marks"] = "end";
    // What follows a translation that was cut off has none.
    if (std::cmp_less_equal(end, scores.size()))
      json["log_probability"] =
          json_number(std::accumulate(scores.begin() + begin, scores.begin() + end, 0.0f));
    return json;
  }
};

using Layers = std::vector<std::vector<AttentionMap>>;

Json maps_json(const std::vector<std::string>& modules, const Layers& layers,
               const AxisLabels& rows, const AxisLabels& cols) {
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
  return {{"modules", modules}, {"words", std::move(words)}, {"pieces", std::move(pieces)}};
}

Json no_maps() {
  return {{"modules", Json::array()}, {"words", Json::array()}, {"pieces", Json::array()}};
}

// Names of the encoder's attention, the decoder's self-attention and the cross-attention.
struct ModuleNames {
  std::vector<std::string> encoder, decoder, cross;

  explicit ModuleNames(const SavedModel& model) {
    for (std::string& name : attention_modules(model)) {
      std::vector<std::string>& kind = name.starts_with("encoder.")   ? encoder
                                       : name.ends_with("cross_attn") ? cross
                                                                      : decoder;
      kind.push_back(std::move(name));
    }
  }
};

}  // namespace

// The last row of decoder and cross is eos; the first columns of decoder are what it begins with.
Json attention_data(const TranslationModel& model, const ScoredPair& pair) {
  const AttentionMaps maps =
      attention_maps(model, model.format.of(pair.languages), pair.src, pair.tgt);
  std::vector<std::int32_t> written_ids = pair.tgt;
  written_ids.push_back(model.tgt_tokenizer.eos_id());
  const AxisLabels source(model.src_tokenizer, maps.src),
      written(model.tgt_tokenizer, written_ids, pair.token_scores),
      read(model.tgt_tokenizer, maps.tgt);
  const ModuleNames names(model);
  return {{"scale", kScale},
          {"axes", {{"source", source.json()}, {"written", written.json()}, {"read", read.json()}}},
          {"maps",
           {{"encoder", maps_json(names.encoder, maps.encoder, source, source)},
            {"decoder", maps_json(names.decoder, maps.decoder, written, read)},
            {"cross", maps_json(names.cross, maps.cross, written, source)}}}};
}

Json attention_data(const SavedModel& model, const Tokenizer& tokenizer,
                    const std::vector<std::int32_t>& ids) {
  const AxisLabels words(tokenizer, ids);
  return {
      {"scale", kScale},
      {"axes", {{"source", words.json()}}},
      {"maps",
       {{"encoder", maps_json(attention_modules(model), attention_maps(model, ids), words, words)},
        {"decoder", no_maps()},
        {"cross", no_maps()}}}};
}

Json attention_data(const LanguageModel& model, const std::vector<std::int32_t>& ids,
                    const std::vector<float>& scores) {
  const std::vector<std::int32_t> input(ids.begin(), ids.end() - 1),
      output(ids.begin() + 1, ids.end());
  const AxisLabels written(model.tokenizer, output, scores), read(model.tokenizer, input);
  return {{"scale", kScale},
          {"axes", {{"written", written.json()}, {"read", read.json()}}},
          {"maps",
           {{"encoder", no_maps()},
            {"decoder",
             maps_json(attention_modules(model), attention_maps(model, input), written, read)},
            {"cross", no_maps()}}}};
}

}  // namespace attend
