#include "attend/inspect/attention_data.h"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>

#include "attend/core/strings/base64.h"
#include "attend/inspect/axis_labels.h"
#include "attend/inspect/explorer_json.h"
#include "attend/tasks/explanation/attention_change.h"
#include "attend/tasks/explanation/attention_maps.h"

namespace attend {

namespace {

using Json = nlohmann::ordered_json;

constexpr int kScale = 255;  // weights are multiples of 1/kScale

std::string weights_text(const AttentionMap& map) {
  std::string bytes;
  bytes.reserve(map.weights.size());
  for (const float weight : map.weights)
    bytes += static_cast<char>(std::lround(std::clamp(weight, 0.0f, 1.0f) * kScale));
  return to_base64(bytes);
}

Json axis_json(const AxisLabels& axis) {
  return {{"words", axis.word_labels()}, {"pieces", axis.piece_labels()}};
}

using Layers = std::vector<std::vector<AttentionMap>>;

Json maps_json(const std::vector<std::string>& modules, const Layers& layers,
               const AxisLabels& rows, const AxisLabels& cols) {
  Json words = Json::array(), pieces = Json::array();
  for (const std::vector<AttentionMap>& heads : layers) {
    Json word_heads = Json::array(), piece_heads = Json::array();
    for (const AttentionMap& head : heads) {
      word_heads.push_back(weights_text(word_map(head, rows.words(), cols.words())));
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
  return {
      {"scale", kScale},
      {"axes",
       {{"source", axis_json(source)}, {"written", axis_json(written)}, {"read", axis_json(read)}}},
      {"maps",
       {{"encoder", maps_json(names.encoder, maps.encoder, source, source)},
        {"decoder", maps_json(names.decoder, maps.decoder, written, read)},
        {"cross", maps_json(names.cross, maps.cross, written, source)}}}};
}

Json attention_data(const SavedModel& model, const Tokenizer& tokenizer,
                    const std::vector<std::int32_t>& ids) {
  const AxisLabels words(tokenizer, ids);
  const Layers maps = attention_maps(model, ids);
  const AttentionEntropy entropy = attention_entropy(maps);
  Json json{{"scale", kScale},
            {"axes", {{"source", axis_json(words)}}},
            {"maps",
             {{"encoder", maps_json(attention_modules(model), maps, words, words)},
              {"decoder", no_maps()},
              {"cross", no_maps()}}},
            {"entropy", to_json(entropy)}};
  json["entropy"]["summary"] = entropy.summary();
  return json;
}

Json attention_data(const LanguageModel& model, const std::vector<std::int32_t>& ids,
                    const std::vector<float>& scores) {
  const std::vector<std::int32_t> input(ids.begin(), ids.end() - 1),
      output(ids.begin() + 1, ids.end());
  const AxisLabels written(model.tokenizer, output, scores), read(model.tokenizer, input);
  return {{"scale", kScale},
          {"axes", {{"written", axis_json(written)}, {"read", axis_json(read)}}},
          {"maps",
           {{"encoder", no_maps()},
            {"decoder",
             maps_json(attention_modules(model), attention_maps(model, input), written, read)},
            {"cross", no_maps()}}}};
}

}  // namespace attend
