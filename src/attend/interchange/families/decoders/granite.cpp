// Granite of the transformers library: Llama with factors of the embeddings, of the scores of
// attention, of what sublayers add and of the logits.
#include <cmath>
#include <nlohmann/json.hpp>

#include "attend/interchange/families/decoders/llama_family.h"
#include "attend/tasks/language/model.h"

namespace attend {

namespace {

constexpr NumberRange kMultipliers = above(0, 1e6);

float read_multiplier(ForeignConfig& config, std::string_view key) {
  return static_cast<float>(config.number_or(key, 1.0, kMultipliers));
}

// Whose quotient is the factor again.
double divisor_of(float factor) {
  double divisor = 1 / double{factor};
  const double rounded = std::round(divisor);
  if (static_cast<float>(1 / rounded) == factor) divisor = rounded;
  return divisor;
}

}  // namespace

ForeignModel read_granite(const ModelDirectory& directory, ForeignConfig& config) {
  ignore_common_settings(config);
  const int length =
      static_cast<int>(config.integer_or("max_position_embeddings", 2048, between(1, 1e6)));
  LanguageTransformerConfig shape = read_llama_shape(config);
  shape.attention_biases = read_attention_bias(config);
  shape.embedding_scale = read_multiplier(config, "embedding_multiplier");
  shape.attention.inverse_temperature = read_multiplier(config, "attention_multiplier");
  shape.residual_scale = read_multiplier(config, "residual_multiplier");
  shape.output_scale =
      static_cast<float>(1 / config.number_or("logits_scaling", 1.0, above(1e-6, 1e6)));
  return finish_llama(directory, config, shape, length);
}

std::optional<TextFiles> write_granite(const SavedModel& saved, Checkpoint& equal) {
  const auto* const model = dynamic_cast<const LanguageModel*>(&saved);
  if (model == nullptr) return std::nullopt;
  const LanguageTransformerConfig shape = model->network->config();
  nlohmann::ordered_json config = llama_config("granite", "GraniteForCausalLM", *model, shape);
  const float beta = shape.attention.inverse_temperature;
  config.update(
      {{"attention_bias", shape.attention_biases == AttentionBiases::all},
       {"mlp_bias", shape.ffn_bias},
       {"embedding_multiplier", shape.scale_of_embeddings()},
       {"attention_multiplier",
        beta != 0.0f ? beta
                     : static_cast<float>(1 / std::sqrt(static_cast<double>(shape.key_width())))},
       {"residual_multiplier", shape.residual_scale},
       {"logits_scaling", divisor_of(shape.output_scale)}});
  return write_language_files(*model, config, equal);
}

}  // namespace attend
