// MPT (MosaicML 2023), as transformers has it: ALiBi, and no biases.
#include <array>
#include <nlohmann/json.hpp>

#include "attend/interchange/families/decoders/llama_family.h"
#include "attend/tasks/language/model.h"

namespace attend {

namespace {

constexpr std::array kMpt{
    NameRule{"embedding.weight", "transformer.wte.weight"},
    NameRule{"decoder.layers.*.norm1.*", "transformer.blocks.*.norm_1.*"},
    NameRule{"decoder.layers.*.self_attn.out_proj.*", "transformer.blocks.*.attn.out_proj.*"},
    NameRule{"decoder.layers.*.norm2.*", "transformer.blocks.*.norm_2.*"},
    NameRule{"decoder.layers.*.feed_forward.linear1.*", "transformer.blocks.*.ffn.up_proj.*"},
    NameRule{"decoder.layers.*.feed_forward.linear2.*", "transformer.blocks.*.ffn.down_proj.*"},
    NameRule{"decoder.norm.*", "transformer.norm_f.*"},
    NameRule{"output_proj.weight", "lm_head.weight"},
};

constexpr const char* kMptAttention = "attn_config";

// transformers does not heed all of them, and models for which they matter are others than it runs.
void read_mpt_attention(ForeignConfig& attention, LanguageTransformerConfig& shape) {
  shape.attention_dropout = shape.dropout = read_dropout(attention, "attn_pdrop", 0.0);
  shape.attention.inverse_temperature =
      static_cast<float>(attention.number_or("softmax_scale", 0.0, between(0, 1e6)));
  attention.require("attn_type", "multihead_attention");
  attention.require("alibi", true);
  attention.require("alibi_bias_max", 8);
  attention.require("clip_qkv", nullptr);
  for (const char* other : {"qk_ln", "prefix_lm", "attn_uses_sequence_id"})
    attention.require(other, false);
  attention.ignore({"attn_impl", "model_type", "chunk_size_feed_forward", "output_attentions",
                    "output_hidden_states", "problem_type", "return_dict"});
  ignore_common_settings(attention);
}

LanguageTransformerConfig read_mpt_shape(ForeignConfig& config) {
  LanguageTransformerConfig shape;
  shape.d_model = read_int(config, "d_model", kWidths);
  shape.n_layers = read_int(config, "n_layers", kLayerCounts);
  shape.n_heads = read_int(config, "n_heads", kHeadCounts);
  shape.d_ff = 4 * shape.d_model;
  config.require("expansion_ratio", 4);
  shape.activation = Activation::gelu;
  shape.norm.epsilon =
      static_cast<float>(config.number_or("layer_norm_epsilon", 1e-5, between(1e-12, 1)));
  shape.norm.bias = shape.ffn_bias = false;
  shape.attention_biases = AttentionBiases::none;
  shape.embedding_scale = 1.0f;
  shape.positions = PositionKind::alibi;
  shape.dropout = 0.0f;
  if (config.has(kMptAttention)) read_mpt_attention(config.object(kMptAttention), shape);
  config.ignore({kMptAttention});
  shape.tied = config.boolean_or("tie_word_embeddings", true);
  shape.vocab_size = read_int(config, "vocab_size", kVocabularySizes);
  config.require("no_bias", true);
  config.require("logit_scale", nullptr);
  // How it was trained; "learned_pos_emb" is without effect beside ALiBi.
  config.ignore({"resid_pdrop", "emb_pdrop", "learned_pos_emb", "init_device", "init_config",
                 "embedding_fraction", "norm_type", "verbose", "initializer_range", "bos_token_id",
                 "eos_token_id", "pad_token_id", "auto_map", "tokenizer_name"});
  return shape;
}

}  // namespace

ForeignModel read_mpt(const ModelDirectory& directory, ForeignConfig& config) {
  ignore_common_settings(config);
  const int length = static_cast<int>(config.integer_or("max_seq_len", 2048, between(1, 1e6)));
  const LanguageTransformerConfig shape = read_mpt_shape(config);
  NameMap names(kMpt);
  names.add(fused_heads(shape, "transformer.blocks.*.attn.Wqkv.*", /*groups=*/1));
  ForeignModel foreign = language_model_of(directory, config, shape, length, std::move(names));
  foreign.base = "transformer.";
  return foreign;
}

std::optional<TextFiles> write_mpt(const SavedModel& saved, Checkpoint& equal) {
  const auto* const model = dynamic_cast<const LanguageModel*>(&saved);
  if (model == nullptr) return std::nullopt;
  const LanguageTransformerConfig shape = use_words_of_llama(*model, equal);
  nlohmann::ordered_json config = language_config("mpt", "MptForCausalLM", *model, shape);
  config.update({{"max_seq_len", model->context.sequence_length},
                 {"d_model", shape.d_model},
                 {"n_layers", shape.n_layers},
                 {"n_heads", shape.n_heads},
                 {"layer_norm_epsilon", shape.norm.epsilon}});
  if (shape.attention.inverse_temperature != 0.0f)
    config[kMptAttention] = {{"softmax_scale", shape.attention.inverse_temperature}};
  return write_language_files(*model, config, equal);
}

}  // namespace attend
