#include "attend/interchange/families/decoders/llama_family.h"

#include <fmt/format.h>

#include <array>
#include <cmath>

#include "attend/interchange/writing/equal_models.h"
#include "attend/tasks/language/model.h"
#include "attend/tasks/model_file/model_reading.h"

namespace attend {

namespace {

constexpr std::array kLlama{
    NameRule{"embedding.weight", "model.embed_tokens.weight"},
    NameRule{"decoder.layers.*.norm1.*", "model.layers.*.input_layernorm.*"},
    NameRule{"decoder.layers.*.self_attn.out_proj.*", "model.layers.*.self_attn.o_proj.*"},
    NameRule{"decoder.layers.*.self_attn.*", "model.layers.*.self_attn.*"},
    NameRule{"decoder.layers.*.norm2.*", "model.layers.*.post_attention_layernorm.*"},
    NameRule{"decoder.layers.*.feed_forward.linear1.*", "model.layers.*.mlp.gate_proj.*"},
    NameRule{"decoder.layers.*.feed_forward.linear_gate.*", "model.layers.*.mlp.up_proj.*"},
    NameRule{"decoder.layers.*.feed_forward.linear2.*", "model.layers.*.mlp.down_proj.*"},
    NameRule{"decoder.norm.*", "model.norm.*"},
    NameRule{"output_proj.weight", "lm_head.weight"},
};

void require_usual_magnitude(ForeignConfig& rope, double factor) {
  constexpr const char* kMagnitude = "attention_factor";
  const double usual = yarn_magnitude(factor);
  if (std::abs(rope.number_or(kMagnitude, usual, between(0, 1e6)) - usual) > 1e-6)
    rope.refuse(kMagnitude,
                fmt::format("only the value for the factor, {:.6g}, is supported", usual));
  rope.require("truncate", true);
  for (const char* other : {"mscale", "mscale_all_dim"}) rope.require(other, nullptr);
}

}  // namespace

RotaryOptions read_rotary(ForeignConfig& config, double theta) {
  RotaryOptions rotary;
  rotary.theta = config.number_or("rope_theta", theta, between(1, 1e9));
  const char* key = config.has("rope_parameters") ? "rope_parameters" : "rope_scaling";
  config.ignore({"rope_parameters", "rope_scaling"});
  if (!config.has(key)) return rotary;
  return read_rotary_of(config.object(key), rotary);
}

RotaryOptions read_rotary_of(ForeignConfig& rope, RotaryOptions rotary) {
  rotary.theta = rope.number_or("rope_theta", rotary.theta, between(1, 1e9));
  const char* type = rope.has("rope_type") ? "rope_type" : "type";
  rope.ignore({"type", "rope_type"});
  rotary.scaling =
      static_cast<RotaryScaling>(rope.choice(type, {"default", "linear", "llama3", "yarn"}));
  if (rotary.scaling == RotaryScaling::none) return rotary;
  rotary.factor = rope.number("factor", between(1, 1e6));
  if (rotary.scaling == RotaryScaling::linear) return rotary;
  constexpr NumberRange kTurns = between(0.001, 1e6);
  if (rotary.scaling == RotaryScaling::llama3) {
    rotary.low_factor = rope.number("low_freq_factor", kTurns);
    rotary.high_factor = rope.number("high_freq_factor", kTurns);
  } else {
    rotary.low_factor = rope.number_or("beta_slow", 1, kTurns);
    rotary.high_factor = rope.number_or("beta_fast", 32, kTurns);
    require_usual_magnitude(rope, rotary.factor);
  }
  rotary.original_length =
      static_cast<int>(rope.integer("original_max_position_embeddings", between(1, 1e9)));
  return rotary;
}

LanguageTransformerConfig read_llama_shape(ForeignConfig& config, const LlamaDefaults& defaults) {
  LanguageTransformerConfig shape = read_unrotated_llama_shape(config, defaults);
  shape.rotary = read_rotary(config, defaults.rotary_theta);
  return shape;
}

LanguageTransformerConfig read_unrotated_llama_shape(ForeignConfig& config,
                                                     const LlamaDefaults& defaults) {
  LanguageTransformerConfig shape;
  shape.d_model = read_int(config, "hidden_size", kWidths);
  shape.d_ff = read_int(config, "intermediate_size", between(1, 1e6));
  shape.n_layers = read_int(config, "num_hidden_layers", kLayerCounts);
  shape.n_heads = read_int(config, "num_attention_heads", kHeadCounts);
  shape.n_key_heads =
      static_cast<int>(config.integer_or("num_key_value_heads", shape.n_heads, kHeadCounts));
  shape.d_key = shape.d_value = static_cast<int>(config.integer_or(
      "head_dim", defaults.head_dim > 0 ? defaults.head_dim : shape.d_model / shape.n_heads,
      kWidths));
  shape.activation = read_activation(config, defaults.activation);
  shape.gated_ffn = true;
  shape.ffn_bias = config.boolean_or("mlp_bias", false);
  shape.norm = {NormKind::rms,
                static_cast<float>(config.number("rms_norm_eps", between(1e-12, 1)))};
  shape.embedding_scale = 1.0f;
  shape.positions = PositionKind::rotary;
  shape.dropout = 0.0f;
  shape.attention_dropout = read_dropout(config, "attention_dropout", 0.0);
  shape.tied = config.boolean_or("tie_word_embeddings", defaults.tied);
  shape.vocab_size = read_int(config, "vocab_size", kVocabularySizes);
  config.require("pretraining_tp", 1);
  config.ignore({"initializer_range", "bos_token_id", "eos_token_id", "pad_token_id",
                 "max_position_embeddings"});
  return shape;
}

ForeignModel finish_llama(const ModelDirectory& directory, ForeignConfig& config,
                          const LanguageTransformerConfig& shape, int context_length) {
  ForeignModel foreign =
      language_model_of(directory, config, shape, context_length, NameMap(kLlama));
  foreign.ignorable.push_back("model.layers.*.self_attn.rotary_emb.inv_freq");
  return foreign;
}

namespace {

using ConfigJson = nlohmann::ordered_json;

// In the words of older files, which all versions read.
void add_rotary(ConfigJson& config, const RotaryOptions& rotary) {
  config["rope_theta"] = rotary.theta;
  if (rotary.scaling == RotaryScaling::none) return;
  ConfigJson scaling{
      {"rope_type", enum_names(rotary.scaling)[static_cast<std::size_t>(rotary.scaling)]},
      {"factor", rotary.factor}};
  if (rotary.scaling == RotaryScaling::llama3) {
    scaling["low_freq_factor"] = rotary.low_factor;
    scaling["high_freq_factor"] = rotary.high_factor;
  }
  if (rotary.scaling == RotaryScaling::yarn) {
    scaling["beta_slow"] = rotary.low_factor;
    scaling["beta_fast"] = rotary.high_factor;
  }
  if (rotary.scaling != RotaryScaling::linear)
    scaling["original_max_position_embeddings"] = rotary.original_length;
  config["rope_scaling"] = scaling;
}

}  // namespace

nlohmann::ordered_json llama_config(std::string_view type, std::string_view architecture,
                                    const LanguageModel& model,
                                    const LanguageTransformerConfig& shape) {
  ConfigJson config = language_config(type, architecture, model, shape);
  config.update({{"max_position_embeddings", model.context.sequence_length},
                 {"hidden_size", shape.d_model},
                 {"intermediate_size", shape.d_ff},
                 {"num_hidden_layers", shape.n_layers},
                 {"num_attention_heads", shape.n_heads},
                 {"num_key_value_heads", shape.n_key_heads > 0 ? shape.n_key_heads : shape.n_heads},
                 {"head_dim", shape.d_key > 0 ? shape.d_key : shape.d_model / shape.n_heads},
                 {"hidden_act", write_activation(shape.activation)},
                 {"rms_norm_eps", shape.norm.epsilon},
                 {"attention_dropout", shape.attention_dropout}});
  add_rotary(config, shape.rotary);
  return config;
}

LanguageTransformerConfig use_words_of_llama(const LanguageModel& model, Checkpoint& equal) {
  if (model.network->config().scale_of_embeddings() != 1.0f) multiply_embeddings(equal);
  return read_options<LanguageTransformerConfig>(equal, "attend.config");
}

}  // namespace attend
