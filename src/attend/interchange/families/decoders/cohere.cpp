// Command R of the transformers library ("cohere"): parallel sublayers behind one layer
// normalization without a bias, rotations of adjacent columns, and a factor of the logits.
#include <array>
#include <nlohmann/json.hpp>

#include "attend/interchange/families/decoders/llama_family.h"
#include "attend/tasks/language/model.h"

namespace attend {

namespace {

constexpr RotaryRules kCohereRotary{.theta = 5e5};

}  // namespace

ForeignModel read_cohere(const ModelDirectory& directory, ForeignConfig& config) {
  ignore_common_settings(config);
  config.ignore({"model_max_length"});
  const int length =
      static_cast<int>(config.integer_or("max_position_embeddings", 8192, between(1, 1e6)));
  LanguageTransformerConfig shape =
      read_llama_shape(config, {.tied = true, .rotary = kCohereRotary, .layer_norm = true});
  config.require("mlp_bias", false);
  config.require("use_qk_norm", false);  // a gain for each head
  shape.attention_biases = read_attention_bias(config);
  shape.norm.bias = false;
  shape.sublayers = Sublayers::parallel_shared;
  shape.output_scale =
      static_cast<float>(config.number_or("logit_scale", 0.0625, between(-1e6, 1e6)));
  NameMap names(separate_heads(shape, "model.layers.*.self_attn.q_proj.*",
                               "model.layers.*.self_attn.k_proj.*", /*adjacent=*/true));
  names.add(names_of_llama());
  return language_model_of(directory, config, shape, length, std::move(names));
}

std::optional<TextFiles> write_cohere(const SavedModel& saved, Checkpoint& equal) {
  const auto* const model = dynamic_cast<const LanguageModel*>(&saved);
  if (model == nullptr) return std::nullopt;
  const LanguageTransformerConfig shape = use_words_of_llama(*model, equal);
  nlohmann::ordered_json config =
      llama_config("cohere", "CohereForCausalLM", *model, shape, kCohereRotary);
  config.update({{"attention_bias", shape.attention_biases == AttentionBiases::all},
                 {"logit_scale", shape.output_scale},
                 {"pad_token_id", nullptr}});
  return write_language_files(*model, config, equal);
}

}  // namespace attend
