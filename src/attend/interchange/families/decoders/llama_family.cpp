#include "attend/interchange/families/decoders/llama_family.h"

#include <fmt/format.h>

#include <array>

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

}  // namespace

LanguageTransformerConfig read_llama_shape(ForeignConfig& config, const LlamaDefaults& defaults) {
  LanguageTransformerConfig shape = read_unrotated_llama_shape(config, defaults);
  shape.rotary = read_rotary(config, defaults.rotary, shape.key_width());
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
  shape.norm.kind = defaults.layer_norm ? NormKind::layer : NormKind::rms;
  shape.norm.epsilon = static_cast<float>(
      config.number(defaults.layer_norm ? "layer_norm_eps" : "rms_norm_eps", between(1e-12, 1)));
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

AttentionBiases read_attention_bias(ForeignConfig& config) {
  return config.boolean_or("attention_bias", false) ? AttentionBiases::all : AttentionBiases::none;
}

void read_layer_norm_sizes(ForeignConfig& config, LanguageTransformerConfig& shape) {
  shape.d_model = read_int(config, "hidden_size", kWidths);
  shape.n_layers = read_int(config, "num_hidden_layers", kLayerCounts);
  shape.n_heads = read_int(config, "num_attention_heads", kHeadCounts);
  shape.norm.epsilon =
      static_cast<float>(config.number_or("layer_norm_eps", 1e-5, between(1e-12, 1)));
  shape.embedding_scale = 1.0f;
  shape.positions = PositionKind::rotary;
  shape.attention_dropout = read_dropout(config, "attention_dropout", 0.0);
  shape.tied = config.boolean_or("tie_word_embeddings", false);
  shape.vocab_size = read_int(config, "vocab_size", kVocabularySizes);
  config.ignore({"initializer_range", "bos_token_id", "eos_token_id", "pad_token_id"});
}

std::span<const NameRule> names_of_llama() { return kLlama; }

ForeignModel finish_llama(const ModelDirectory& directory, ForeignConfig& config,
                          const LanguageTransformerConfig& shape, int context_length) {
  ForeignModel foreign =
      language_model_of(directory, config, shape, context_length, NameMap(kLlama));
  foreign.ignorable.push_back("model.layers.*.self_attn.rotary_emb.inv_freq");
  return foreign;
}

nlohmann::ordered_json llama_config(std::string_view type, std::string_view architecture,
                                    const LanguageModel& model,
                                    const LanguageTransformerConfig& shape,
                                    const RotaryRules& rotary) {
  nlohmann::ordered_json config = language_config(type, architecture, model, shape);
  config.update(
      {{"max_position_embeddings", model.context.sequence_length},
       {"hidden_size", shape.d_model},
       {"intermediate_size", shape.d_ff},
       {"num_hidden_layers", shape.n_layers},
       {"num_attention_heads", shape.n_heads},
       {"num_key_value_heads", shape.n_key_heads > 0 ? shape.n_key_heads : shape.n_heads},
       {"head_dim", shape.d_key > 0 ? shape.d_key : shape.d_model / shape.n_heads},
       {"hidden_act", write_activation(shape.activation)},
       {shape.norm.kind == NormKind::rms ? "rms_norm_eps" : "layer_norm_eps", shape.norm.epsilon},
       {"attention_dropout", shape.attention_dropout}});
  add_rotary(config, shape, rotary);
  return config;
}

namespace {

constexpr std::string_view kOurQueries = "decoder.layers.*.self_attn.q_proj.*",
                           kOurKeys = "decoder.layers.*.self_attn.k_proj.*",
                           kOurValues = "decoder.layers.*.self_attn.v_proj.*";

int key_heads_of(const StackConfig& shape) {
  return shape.n_key_heads > 0 ? shape.n_key_heads : shape.n_heads;
}

}  // namespace

std::array<NameRule, 3> fused_heads(const StackConfig& shape, std::string_view theirs, int groups,
                                    bool adjacent) {
  const int queries = shape.n_heads / groups, keys = key_heads_of(shape) / groups;
  const auto part = [&](int index, int size) {
    return ForeignPart{index, queries + 2 * keys, groups, size};
  };
  return {NameRule{kOurQueries, theirs, ForeignLayout::same, part(0, queries),
                   rotated_heads(shape, shape.n_heads, adjacent)},
          NameRule{kOurKeys, theirs, ForeignLayout::same, part(queries, keys),
                   rotated_heads(shape, key_heads_of(shape), adjacent)},
          NameRule{kOurValues, theirs, ForeignLayout::same, part(queries + keys, keys)}};
}

std::array<NameRule, 2> separate_heads(const StackConfig& shape, std::string_view queries,
                                       std::string_view keys, bool adjacent) {
  return {NameRule{kOurQueries,
                   queries,
                   ForeignLayout::same,
                   {},
                   rotated_heads(shape, shape.n_heads, adjacent)},
          NameRule{kOurKeys,
                   keys,
                   ForeignLayout::same,
                   {},
                   rotated_heads(shape, key_heads_of(shape), adjacent)}};
}

LanguageTransformerConfig use_words_of_llama(const LanguageModel& model, Checkpoint& equal) {
  if (model.network->config().scale_of_embeddings() != 1.0f) multiply_embeddings(equal);
  return read_options<LanguageTransformerConfig>(equal, "attend.config");
}

}  // namespace attend
