// Llama (Touvron et al. 2023) and similar models of the transformers library: SmolLM, TinyLlama,
// Mistral, Qwen2, Qwen3.
#include <algorithm>
#include <vector>

#include "attend/interchange/families/decoders/llama_family.h"
#include "attend/interchange/families/layer_types.h"
#include "attend/tasks/language/model.h"

namespace attend {

namespace {

// A window in the layers of "layer_types", or from a number on.
void read_qwen_layers(ForeignConfig& config, LanguageTransformerConfig& shape) {
  constexpr const char* kWindow = "sliding_window";
  const bool named = config.has(kWindow), null = config.mentions(kWindow) && !named;
  const auto tokens = static_cast<int>(config.integer_or(kWindow, 4096, kWindows));
  const int window = config.boolean_or("use_sliding_window", false) && !null ? tokens : 0;
  const auto first = config.integer_or("max_window_layers", 28, between(0, 1e6));
  std::vector<LayerKind> kinds(static_cast<std::size_t>(shape.n_layers), LayerKind::global);
  for (std::size_t i = static_cast<std::size_t>(first); window > 0 && i < kinds.size(); ++i)
    kinds[i] = LayerKind::local;
  kinds = read_layer_types(config, kinds);
  set_layers(kinds, window, shape);
  if (window == 0 && std::find(kinds.begin(), kinds.end(), LayerKind::local) != kinds.end())
    config.refuse("layer_types", "sliding_attention needs \"use_sliding_window\"");
}

nlohmann::ordered_json qwen_layers(const LanguageTransformerConfig& shape) {
  if (shape.attention_window == 0) return {{"use_sliding_window", false}};
  const std::vector<LayerKind> kinds = shape.kinds_of_layers(shape.n_layers);
  const auto first = std::find(kinds.begin(), kinds.end(), LayerKind::local);
  return {{"use_sliding_window", true},
          {"sliding_window", shape.attention_window},
          {"max_window_layers", first - kinds.begin()},
          {"layer_types", layer_types_json(kinds)}};
}

// The context of a Qwen model.
int read_qwen_length(ForeignConfig& config) {
  config.ignore({"use_mrope"});
  return static_cast<int>(config.integer_or("max_position_embeddings", 32768, between(1, 1e6)));
}

}  // namespace

ForeignModel read_llama(const ModelDirectory& directory, ForeignConfig& config) {
  ignore_common_settings(config);
  const int length =
      static_cast<int>(config.integer_or("max_position_embeddings", 2048, between(1, 1e6)));
  LanguageTransformerConfig shape = read_llama_shape(config);
  shape.attention_biases = read_attention_bias(config);
  return finish_llama(directory, config, shape, length);
}

ForeignModel read_mistral(const ModelDirectory& directory, ForeignConfig& config) {
  ignore_common_settings(config);
  const int length =
      static_cast<int>(config.integer_or("max_position_embeddings", 131072, between(1, 1e6)));
  LanguageTransformerConfig shape = read_llama_shape(config);
  shape.attention_biases = AttentionBiases::none;
  // Files without the setting mean 4096, those with null no window.
  constexpr const char* kWindow = "sliding_window";
  if (config.has(kWindow) || !config.mentions(kWindow))
    shape.attention_window = static_cast<int>(config.integer_or(kWindow, 4096, kWindows));
  return finish_llama(directory, config, shape, length);
}

ForeignModel read_qwen2(const ModelDirectory& directory, ForeignConfig& config) {
  ignore_common_settings(config);
  LanguageTransformerConfig shape = read_llama_shape(config);
  shape.attention_biases = AttentionBiases::qkv;
  read_qwen_layers(config, shape);
  return finish_llama(directory, config, shape, read_qwen_length(config));
}

ForeignModel read_qwen3(const ModelDirectory& directory, ForeignConfig& config) {
  ignore_common_settings(config);
  LanguageTransformerConfig shape = read_llama_shape(config, {.head_dim = 128});
  read_qwen_layers(config, shape);
  shape.attention_biases = read_attention_bias(config);
  shape.qk_norm = true;
  return finish_llama(directory, config, shape, read_qwen_length(config));
}

// Layers without rotary positions are those with a 0 in "no_rope_layers".
ForeignModel read_smollm3(const ModelDirectory& directory, ForeignConfig& config) {
  constexpr const char* kRotated = "no_rope_layers";
  ignore_common_settings(config);
  const int length =
      static_cast<int>(config.integer_or("max_position_embeddings", 32768, between(1, 1e6)));
  LanguageTransformerConfig shape =
      read_llama_shape(config, {.tied = true, .rotary = {.theta = 2e6}});
  shape.attention_biases = read_attention_bias(config);
  config.require("use_sliding_window", false);
  config.ignore({"sliding_window", "max_window_layers"});
  const auto every =
      static_cast<std::size_t>(config.integer_or("no_rope_layer_interval", 4, between(1, 1e6)));
  std::vector<LayerKind> kinds(static_cast<std::size_t>(shape.n_layers), LayerKind::global);
  for (const LayerKind kind : read_layer_types(config, kinds))
    if (kind == LayerKind::local) config.refuse("layer_types", "only full_attention is supported");
  if (config.has(kRotated)) {
    const std::vector<std::int64_t> rotated = config.integers(kRotated, between(0, 1));
    if (rotated.size() != kinds.size()) config.refuse(kRotated, "expected one for each layer");
    for (std::size_t i = 0; i < kinds.size(); ++i)
      if (rotated[i] == 0) kinds[i] = LayerKind::unrotated;
  } else {
    for (std::size_t i = every - 1; i < kinds.size(); i += every) kinds[i] = LayerKind::unrotated;
  }
  set_layers(kinds, 0, shape);
  return finish_llama(directory, config, shape, length);
}

std::optional<TextFiles> write_llama(const SavedModel& saved, Checkpoint& equal) {
  const auto* const model = dynamic_cast<const LanguageModel*>(&saved);
  if (model == nullptr) return std::nullopt;
  const LanguageTransformerConfig shape = use_words_of_llama(*model, equal);
  nlohmann::ordered_json config = llama_config("llama", "LlamaForCausalLM", *model, shape);
  config["attention_bias"] = shape.attention_biases == AttentionBiases::all;
  config["mlp_bias"] = shape.ffn_bias;
  return write_language_files(*model, config, equal);
}

std::optional<TextFiles> write_mistral(const SavedModel& saved, Checkpoint& equal) {
  const auto* const model = dynamic_cast<const LanguageModel*>(&saved);
  if (model == nullptr) return std::nullopt;
  const LanguageTransformerConfig shape = use_words_of_llama(*model, equal);
  nlohmann::ordered_json config = llama_config("mistral", "MistralForCausalLM", *model, shape);
  config["sliding_window"] = nullptr;
  if (shape.attention_window > 0) config["sliding_window"] = shape.attention_window;
  return write_language_files(*model, config, equal);
}

std::optional<TextFiles> write_smollm3(const SavedModel& saved, Checkpoint& equal) {
  const auto* const model = dynamic_cast<const LanguageModel*>(&saved);
  if (model == nullptr) return std::nullopt;
  const LanguageTransformerConfig shape = use_words_of_llama(*model, equal);
  nlohmann::ordered_json config = llama_config("smollm3", "SmolLM3ForCausalLM", *model, shape);
  config["attention_bias"] = shape.attention_biases == AttentionBiases::all;
  config["mlp_bias"] = shape.ffn_bias;
  config["use_sliding_window"] = false;
  config["pad_token_id"] = nullptr;  // by default one that few vocabularies have
  nlohmann::ordered_json rotated = nlohmann::ordered_json::array();
  for (const LayerKind kind : shape.kinds_of_layers(shape.n_layers))
    rotated.push_back(kind == LayerKind::unrotated ? 0 : 1);
  config["no_rope_layers"] = rotated;
  return write_language_files(*model, config, equal);
}

std::optional<TextFiles> write_qwen2(const SavedModel& saved, Checkpoint& equal) {
  const auto* const model = dynamic_cast<const LanguageModel*>(&saved);
  if (model == nullptr) return std::nullopt;
  const LanguageTransformerConfig shape = use_words_of_llama(*model, equal);
  nlohmann::ordered_json config = llama_config("qwen2", "Qwen2ForCausalLM", *model, shape);
  config.update(qwen_layers(shape));
  return write_language_files(*model, config, equal);
}

std::optional<TextFiles> write_qwen3(const SavedModel& saved, Checkpoint& equal) {
  const auto* const model = dynamic_cast<const LanguageModel*>(&saved);
  if (model == nullptr) return std::nullopt;
  const LanguageTransformerConfig shape = use_words_of_llama(*model, equal);
  nlohmann::ordered_json config = llama_config("qwen3", "Qwen3ForCausalLM", *model, shape);
  config["attention_bias"] = shape.attention_biases == AttentionBiases::all;
  config.update(qwen_layers(shape));
  return write_language_files(*model, config, equal);
}

}  // namespace attend
