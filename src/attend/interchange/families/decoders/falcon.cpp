// Falcon (Almazrouei et al. 2023) of the transformers library, with rotary positions: parallel
// sublayers, and heads of keys that several heads of queries share.
#include <array>
#include <nlohmann/json.hpp>

#include "attend/interchange/families/decoders/llama_family.h"
#include "attend/tasks/language/model.h"

namespace attend {

namespace {

constexpr std::array kFalcon{
    NameRule{"embedding.weight", "transformer.word_embeddings.weight"},
    NameRule{"decoder.layers.*.self_attn.out_proj.*", "transformer.h.*.self_attention.dense.*"},
    NameRule{"decoder.layers.*.feed_forward.linear1.*", "transformer.h.*.mlp.dense_h_to_4h.*"},
    NameRule{"decoder.layers.*.feed_forward.linear2.*", "transformer.h.*.mlp.dense_4h_to_h.*"},
    NameRule{"decoder.norm.*", "transformer.ln_f.*"},
    NameRule{"output_proj.weight", "lm_head.weight"},
};

NameMap names_of_falcon(const LanguageTransformerConfig& shape) {
  const bool two = shape.sublayers == Sublayers::parallel;
  NameMap names(kFalcon);
  names.add(std::array{
      NameRule{"decoder.layers.*.norm1.*",
               two ? "transformer.h.*.ln_attn.*" : "transformer.h.*.input_layernorm.*"},
      NameRule{"decoder.layers.*.norm2.*",
               two ? "transformer.h.*.ln_mlp.*" : "transformer.h.*.post_attention_layernorm.*"}});
  names.add(
      fused_heads(shape, "transformer.h.*.self_attention.query_key_value.*", shape.n_key_heads));
  return names;
}

// Which heads there are, and what the sublayers read.
void read_falcon_layers(ForeignConfig& config, LanguageTransformerConfig& shape) {
  constexpr const char *kNorms = "num_ln_in_parallel_attn", *kParallel = "parallel_attn";
  const auto heads =
      static_cast<int>(config.integer_or("num_kv_heads", shape.n_heads, kHeadCounts));
  const bool multi_query = config.boolean_or("multi_query", true);
  if (config.boolean_or("new_decoder_architecture", false)) {
    config.require(kParallel, true);
    shape.n_key_heads = heads;
    shape.sublayers = config.integer_or(kNorms, 2, between(1, 2)) == 2 ? Sublayers::parallel
                                                                       : Sublayers::parallel_shared;
    return;
  }
  shape.n_key_heads = multi_query ? 1 : shape.n_heads;
  if (!config.boolean_or(kParallel, true)) {
    config.ignore({kNorms});
    return;
  }
  shape.sublayers = Sublayers::parallel_shared;
  config.require(kNorms, 1);
}

LanguageTransformerConfig read_falcon_shape(ForeignConfig& config) {
  LanguageTransformerConfig shape;
  shape.d_model = read_int(config, config.has("n_embed") ? "n_embed" : "hidden_size", kWidths);
  config.require("hidden_size", shape.d_model);
  shape.n_layers = read_int(config, "num_hidden_layers", kLayerCounts);
  shape.n_heads = read_int(config, "num_attention_heads", kHeadCounts);
  shape.d_ff = static_cast<int>(
      config.integer_or("ffn_hidden_size", std::int64_t{4} * shape.d_model, between(1, 1e6)));
  constexpr const char* kActivation = "activation";
  shape.activation =
      config.has(kActivation) ? read_activation(config, kActivation) : Activation::gelu;
  config.ignore({kActivation});
  shape.norm.epsilon =
      static_cast<float>(config.number_or("layer_norm_epsilon", 1e-5, between(1e-12, 1)));
  shape.ffn_bias = config.boolean_or("bias", false);
  shape.attention_biases = shape.ffn_bias ? AttentionBiases::all : AttentionBiases::none;
  read_falcon_layers(config, shape);
  shape.embedding_scale = 1.0f;
  shape.positions = PositionKind::rotary;
  config.require("alibi", false);  // in transformers with biases rounded to 16 bits
  shape.rotary = read_rotary(config);
  shape.dropout = read_dropout(config, "hidden_dropout", 0.0);
  shape.attention_dropout = read_dropout(config, "attention_dropout", 0.0);
  shape.tied = config.boolean_or("tie_word_embeddings", true);
  shape.vocab_size = read_int(config, "vocab_size", kVocabularySizes);
  config.require("apply_residual_connection_post_layernorm", false);
  config.ignore({"max_position_embeddings", "initializer_range", "bos_token_id", "eos_token_id",
                 "pad_token_id", "auto_map"});
  return shape;
}

}  // namespace

ForeignModel read_falcon(const ModelDirectory& directory, ForeignConfig& config) {
  ignore_common_settings(config);
  const int length =
      static_cast<int>(config.integer_or("max_position_embeddings", 2048, between(1, 1e6)));
  const LanguageTransformerConfig shape = read_falcon_shape(config);
  ForeignModel foreign =
      language_model_of(directory, config, shape, length, names_of_falcon(shape));
  foreign.base = "transformer.";
  return foreign;
}

std::optional<TextFiles> write_falcon(const SavedModel& saved, Checkpoint& equal) {
  const auto* const model = dynamic_cast<const LanguageModel*>(&saved);
  if (model == nullptr) return std::nullopt;
  const LanguageTransformerConfig shape = use_words_of_llama(*model, equal);
  nlohmann::ordered_json config = language_config("falcon", "FalconForCausalLM", *model, shape);
  const int keys = shape.n_key_heads > 0 ? shape.n_key_heads : shape.n_heads;
  const bool shared = shape.sublayers == Sublayers::parallel_shared,
             is_older = shape.sublayers == Sublayers::sequential ||
                        (shared && (keys == 1 || keys == shape.n_heads));
  config.update({{"max_position_embeddings", model->context.sequence_length},
                 {"hidden_size", shape.d_model},
                 {"num_hidden_layers", shape.n_layers},
                 {"num_attention_heads", shape.n_heads},
                 {"num_kv_heads", is_older ? shape.n_heads : keys},
                 {"ffn_hidden_size", shape.d_ff},
                 {"activation", write_activation(shape.activation)},
                 {"layer_norm_epsilon", shape.norm.epsilon},
                 {"bias", shape.ffn_bias},
                 {"alibi", false},
                 {"new_decoder_architecture", !is_older},
                 {"multi_query", !is_older || keys == 1},
                 {"parallel_attn", shape.sublayers != Sublayers::sequential},
                 {"hidden_dropout", shape.dropout},
                 {"attention_dropout", shape.attention_dropout}});
  if (!is_older) config["num_ln_in_parallel_attn"] = shared ? 1 : 2;
  add_rotary(config, shape);
  return write_language_files(*model, config, equal);
}

}  // namespace attend
