// BLOOM (Le Scao et al. 2022), as transformers has it.
#include <array>
#include <nlohmann/json.hpp>
#include <vector>

#include "attend/error.h"
#include "attend/interchange/families/families.h"
#include "attend/models/language_transformer.h"
#include "attend/tasks/language/model.h"

namespace attend {

namespace {

constexpr std::array kBloom{
    NameRule{"embedding.weight", "transformer.word_embeddings.weight"},
    NameRule{"norm.*", "transformer.word_embeddings_layernorm.*"},
    NameRule{"decoder.layers.*.norm1.*", "transformer.h.*.input_layernorm.*"},
    NameRule{"decoder.layers.*.self_attn.out_proj.*", "transformer.h.*.self_attention.dense.*"},
    NameRule{"decoder.layers.*.norm2.*", "transformer.h.*.post_attention_layernorm.*"},
    NameRule{"decoder.layers.*.feed_forward.linear1.*", "transformer.h.*.mlp.dense_h_to_4h.*"},
    NameRule{"decoder.layers.*.feed_forward.linear2.*", "transformer.h.*.mlp.dense_4h_to_h.*"},
    NameRule{"decoder.norm.*", "transformer.ln_f.*"},
    NameRule{"output_proj.weight", "lm_head.weight"},
};

// Queries, keys and values share a matrix, head by head.
NameMap names_of_bloom(int heads) {
  constexpr std::string_view kFused = "transformer.h.*.self_attention.query_key_value.*";
  const auto part = [&](int index) {
    return ForeignPart{.index = index, .count = 3, .groups = heads};
  };
  NameMap names(kBloom);
  names.add(std::array{
      NameRule{"decoder.layers.*.self_attn.q_proj.*", kFused, ForeignLayout::same, part(0)},
      NameRule{"decoder.layers.*.self_attn.k_proj.*", kFused, ForeignLayout::same, part(1)},
      NameRule{"decoder.layers.*.self_attn.v_proj.*", kFused, ForeignLayout::same, part(2)}});
  return names;
}

LanguageTransformerConfig read_bloom_shape(ForeignConfig& config) {
  LanguageTransformerConfig shape;
  shape.d_model = read_int(config, config.has("n_embed") ? "n_embed" : "hidden_size", kWidths);
  config.require("hidden_size", shape.d_model);
  shape.d_ff = 4 * shape.d_model;
  config.require("n_inner", shape.d_ff);
  shape.n_layers =
      read_int(config, config.has("n_layer") ? "n_layer" : "num_hidden_layers", kLayerCounts);
  shape.n_heads =
      read_int(config, config.has("n_head") ? "n_head" : "num_attention_heads", kHeadCounts);
  shape.activation = Activation::gelu_tanh;
  shape.norm.epsilon = static_cast<float>(
      config.number_or("layer_norm_epsilon", shape.norm.epsilon, between(1e-12, 1)));
  shape.norm_embedding = true;
  shape.embedding_scale = 1.0f;
  shape.positions = PositionKind::alibi;
  shape.dropout = read_dropout(config, "hidden_dropout", 0.0);
  shape.attention_dropout = read_dropout(config, "attention_dropout", 0.0);
  shape.tied = config.boolean_or("tie_word_embeddings", true);
  shape.vocab_size = read_int(config, "vocab_size", kVocabularySizes);
  config.require("apply_residual_connection_post_layernorm", false);
  // Then transformers leaves out biases of the projections.
  if (config.integer_or("pretraining_tp", 1, kHeadCounts) > 1)
    config.require("slow_but_exact", false);
  // How it was computed and in which order sums were taken.
  config.ignore({"attention_softmax_in_fp32", "bias_dropout_fusion", "masked_softmax_fusion",
                 "skip_bias_add", "skip_bias_add_qkv", "offset_alibi", "slow_but_exact",
                 "initializer_range", "bos_token_id", "eos_token_id", "pad_token_id",
                 "unk_token_id"});
  return shape;
}

constexpr int kBloomLength = 2048;

}  // namespace

ForeignModel read_bloom(const ModelDirectory& directory, ForeignConfig& config) {
  ignore_common_settings(config);
  const LanguageTransformerConfig shape = read_bloom_shape(config);
  const int length =
      static_cast<int>(config.integer_or("seq_length", kBloomLength, between(1, 1e6)));
  ForeignModel foreign =
      language_model_of(directory, config, shape, length, names_of_bloom(shape.n_heads));
  foreign.base = "transformer.";
  return foreign;
}

std::optional<TextFiles> write_bloom(const SavedModel& saved, Checkpoint& equal) {
  const auto* const model = dynamic_cast<const LanguageModel*>(&saved);
  if (model == nullptr) return std::nullopt;
  const LanguageTransformerConfig& shape = model->network->config();
  nlohmann::ordered_json config = language_config("bloom", "BloomForCausalLM", *model, shape);
  config.update({{"hidden_size", shape.d_model},
                 {"n_layer", shape.n_layers},
                 {"n_head", shape.n_heads},
                 {"seq_length", model->context.sequence_length},
                 {"layer_norm_epsilon", shape.norm.epsilon},
                 {"hidden_dropout", shape.dropout},
                 {"attention_dropout", shape.attention_dropout}});
  return write_language_files(*model, config, equal);
}

}  // namespace attend
