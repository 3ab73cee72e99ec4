// Jina embeddings, version 2 (Günther et al. 2023): BERT with ALiBi on both sides and gated
// feed-forward networks. Their directories say that they are BERT, and that a program beside the
// weights is to be run, which is never done here.
#include "attend/interchange/families/encoders/jina_bert.h"

#include <array>

#include "attend/interchange/families/encoders/bert_like.h"
#include "attend/interchange/families/encoders/encoder_family.h"

namespace attend {

namespace {

constexpr NameRule jina_hidden(std::string_view ours, int index) {
  return {ours, "encoder.layer.*.mlp.gated_layers.*", ForeignLayout::same, {index, 2}};
}

constexpr std::array kJinaBert{
    NameRule{"embedding.weight", "embeddings.word_embeddings.weight", ForeignLayout::first_rows},
    NameRule{"token_types.weight", "embeddings.token_type_embeddings.weight",
             ForeignLayout::first_rows},
    NameRule{"norm.*", "embeddings.LayerNorm.*"},
    NameRule{"encoder.layers.*.self_attn.q_proj.*", "encoder.layer.*.attention.self.query.*"},
    NameRule{"encoder.layers.*.self_attn.k_proj.*", "encoder.layer.*.attention.self.key.*"},
    NameRule{"encoder.layers.*.self_attn.v_proj.*", "encoder.layer.*.attention.self.value.*"},
    NameRule{"encoder.layers.*.self_attn.out_proj.*", "encoder.layer.*.attention.output.dense.*"},
    NameRule{"encoder.layers.*.norm1.*", "encoder.layer.*.attention.output.LayerNorm.*"},
    jina_hidden("encoder.layers.*.feed_forward.linear1.*", 0),
    jina_hidden("encoder.layers.*.feed_forward.linear_gate.*", 1),
    NameRule{"encoder.layers.*.feed_forward.linear2.*", "encoder.layer.*.mlp.wo.*"},
    NameRule{"encoder.layers.*.norm2.*", "encoder.layer.*.mlp.layernorm.*"},
};

constexpr std::array kJinaHead{
    NameRule{"head.*", "bert.pooler.dense.*"},
    NameRule{"output.*", "classifier.*"},
};

constexpr std::array<std::string_view, 5> kJinaIgnorable{
    "pooler.dense.*", "bert.pooler.dense.*", "cls.predictions.*", "cls.predictions.transform.*.*",
    "cls.predictions.decoder.*"};

constexpr const char *kPositions = "position_embedding_type", *kFeedForward = "feed_forward_type";

}  // namespace

bool is_jina_bert(ForeignConfig& config) { return config.has(kFeedForward); }

ForeignModel read_jina_bert(const ModelDirectory& directory, ForeignConfig& config) {
  ignore_encoder_settings(config);
  EncoderConfig shape = read_unpositioned_bert_shape(config);
  config.choice(kPositions, {"alibi"});
  shape.positions = PositionKind::alibi;
  shape.activation = std::array{Activation::gelu, Activation::relu}.at(
      config.choice(kFeedForward, {"geglu", "reglu"}));
  shape.gated_ffn = true;
  shape.ffn_hidden_bias = false;
  config.ignore({"auto_map", "attn_implementation", "emb_pooler", "model_max_length"});
  return finish_encoder(
      directory, config, shape,
      {.prefix = "bert.", .encoder = kJinaBert, .head = kJinaHead, .ignorable = kJinaIgnorable},
      read_tokenizer_of(directory));
}

}  // namespace attend
