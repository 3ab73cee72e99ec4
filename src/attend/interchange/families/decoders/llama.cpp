// Llama (Touvron et al. 2023) and similar models of the transformers library: SmolLM, TinyLlama,
// Mistral, Qwen2, Qwen3.
#include "attend/interchange/families/decoders/llama_family.h"
#include "attend/tasks/language/model.h"

namespace attend {

namespace {

AttentionBiases read_attention_bias(ForeignConfig& config) {
  return config.boolean_or("attention_bias", false) ? AttentionBiases::all : AttentionBiases::none;
}

// The context of a Qwen model with full attention in all layers.
int read_qwen_length(ForeignConfig& config) {
  config.require("use_sliding_window", false);
  config.ignore({"sliding_window", "max_window_layers", "layer_types", "use_mrope"});
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

// Reads the versions without a sliding window.
ForeignModel read_mistral(const ModelDirectory& directory, ForeignConfig& config) {
  ignore_common_settings(config);
  config.require("sliding_window", nullptr);
  const int length =
      static_cast<int>(config.integer_or("max_position_embeddings", 131072, between(1, 1e6)));
  LanguageTransformerConfig shape = read_llama_shape(config);
  shape.attention_biases = AttentionBiases::none;
  return finish_llama(directory, config, shape, length);
}

ForeignModel read_qwen2(const ModelDirectory& directory, ForeignConfig& config) {
  ignore_common_settings(config);
  LanguageTransformerConfig shape = read_llama_shape(config);
  shape.attention_biases = AttentionBiases::qkv;
  return finish_llama(directory, config, shape, read_qwen_length(config));
}

ForeignModel read_qwen3(const ModelDirectory& directory, ForeignConfig& config) {
  constexpr int kHeadWidth = 128;
  ignore_common_settings(config);
  LanguageTransformerConfig shape = read_llama_shape(config, kHeadWidth);
  shape.attention_biases = read_attention_bias(config);
  shape.qk_norm = true;
  return finish_llama(directory, config, shape, read_qwen_length(config));
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
  nlohmann::ordered_json config =
      llama_config("mistral", "MistralForCausalLM", *model, use_words_of_llama(*model, equal));
  config["sliding_window"] = nullptr;
  return write_language_files(*model, config, equal);
}

std::optional<TextFiles> write_qwen2(const SavedModel& saved, Checkpoint& equal) {
  const auto* const model = dynamic_cast<const LanguageModel*>(&saved);
  if (model == nullptr) return std::nullopt;
  nlohmann::ordered_json config =
      llama_config("qwen2", "Qwen2ForCausalLM", *model, use_words_of_llama(*model, equal));
  config["use_sliding_window"] = false;
  return write_language_files(*model, config, equal);
}

std::optional<TextFiles> write_qwen3(const SavedModel& saved, Checkpoint& equal) {
  const auto* const model = dynamic_cast<const LanguageModel*>(&saved);
  if (model == nullptr) return std::nullopt;
  const LanguageTransformerConfig shape = use_words_of_llama(*model, equal);
  nlohmann::ordered_json config = llama_config("qwen3", "Qwen3ForCausalLM", *model, shape);
  config["attention_bias"] = shape.attention_biases == AttentionBiases::all;
  config["use_sliding_window"] = false;
  return write_language_files(*model, config, equal);
}

}  // namespace attend
