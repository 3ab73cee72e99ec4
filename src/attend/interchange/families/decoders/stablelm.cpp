// StableLM of the transformers library: Llama with layer normalization, which rotates a part of
// each head, and whose sublayers may be parallel.
#include <nlohmann/json.hpp>

#include "attend/interchange/families/decoders/llama_family.h"
#include "attend/tasks/language/model.h"

namespace attend {

namespace {

constexpr RotaryRules kStableLmRotary{.share = 0.25};

}  // namespace

ForeignModel read_stablelm(const ModelDirectory& directory, ForeignConfig& config) {
  ignore_common_settings(config);
  const int length =
      static_cast<int>(config.integer_or("max_position_embeddings", 4096, between(1, 1e6)));
  LanguageTransformerConfig shape =
      read_llama_shape(config, {.rotary = kStableLmRotary, .layer_norm = true});
  config.require("mlp_bias", false);
  config.require("head_dim", shape.d_model / shape.n_heads);
  config.require("qk_layernorm", false);  // a gain for each head
  shape.attention_biases =
      config.boolean_or("use_qkv_bias", false) ? AttentionBiases::qkv : AttentionBiases::none;
  shape.dropout = read_dropout(config, "hidden_dropout", 0.0);
  if (config.boolean_or("use_parallel_residual", false))
    shape.sublayers = Sublayers::parallel_shared;
  NameMap names(separate_heads(shape, "model.layers.*.self_attn.q_proj.*",
                               "model.layers.*.self_attn.k_proj.*"));
  names.add(names_of_llama());
  return language_model_of(directory, config, shape, length, std::move(names));
}

std::optional<TextFiles> write_stablelm(const SavedModel& saved, Checkpoint& equal) {
  const auto* const model = dynamic_cast<const LanguageModel*>(&saved);
  if (model == nullptr) return std::nullopt;
  const LanguageTransformerConfig shape = use_words_of_llama(*model, equal);
  nlohmann::ordered_json config =
      llama_config("stablelm", "StableLmForCausalLM", *model, shape, kStableLmRotary);
  if (config["head_dim"] == shape.d_model / shape.n_heads) config.erase("head_dim");
  config.update({{"use_qkv_bias", shape.attention_biases == AttentionBiases::qkv},
                 {"use_parallel_residual", shape.sublayers == Sublayers::parallel_shared},
                 {"hidden_dropout", shape.dropout}});
  return write_language_files(*model, config, equal);
}

}  // namespace attend
