// BERT (Devlin et al. 2019), RoBERTa (Liu et al. 2019) and XLM-R (Conneau et al. 2020), as
// transformers has them: encoders, such as those of sentence-transformers, and classifiers.
#include <array>
#include <nlohmann/json.hpp>

#include "attend/error.h"
#include "attend/interchange/families/encoders/encoder_family.h"
#include "attend/interchange/families/encoders/encoder_writing.h"
#include "attend/text/sentencepiece/sentencepiece_writing.h"

namespace attend {

namespace {

constexpr std::array kOlderBertNorms{
    NameRule{"norm.weight", "embeddings.LayerNorm.gamma"},
    NameRule{"norm.bias", "embeddings.LayerNorm.beta"},
    NameRule{"encoder.layers.*.norm1.weight", "encoder.layer.*.attention.output.LayerNorm.gamma"},
    NameRule{"encoder.layers.*.norm1.bias", "encoder.layer.*.attention.output.LayerNorm.beta"},
    NameRule{"encoder.layers.*.norm2.weight", "encoder.layer.*.output.LayerNorm.gamma"},
    NameRule{"encoder.layers.*.norm2.bias", "encoder.layer.*.output.LayerNorm.beta"},
};

// Positions of RoBERTa begin after two rows: one that is not used, and that of padding.
constexpr std::array<NameRule, 12> encoder_rules(ForeignLayout positions) {
  return {
      NameRule{"embedding.weight", "embeddings.word_embeddings.weight", ForeignLayout::first_rows},
      NameRule{"positions.weight", "embeddings.position_embeddings.weight", positions},
      NameRule{"token_types.weight", "embeddings.token_type_embeddings.weight",
               ForeignLayout::first_rows},
      NameRule{"norm.*", "embeddings.LayerNorm.*"},
      NameRule{"encoder.layers.*.self_attn.q_proj.*", "encoder.layer.*.attention.self.query.*"},
      NameRule{"encoder.layers.*.self_attn.k_proj.*", "encoder.layer.*.attention.self.key.*"},
      NameRule{"encoder.layers.*.self_attn.v_proj.*", "encoder.layer.*.attention.self.value.*"},
      NameRule{"encoder.layers.*.self_attn.out_proj.*", "encoder.layer.*.attention.output.dense.*"},
      NameRule{"encoder.layers.*.norm1.*", "encoder.layer.*.attention.output.LayerNorm.*"},
      NameRule{"encoder.layers.*.feed_forward.linear1.*", "encoder.layer.*.intermediate.dense.*"},
      NameRule{"encoder.layers.*.feed_forward.linear2.*", "encoder.layer.*.output.dense.*"},
      NameRule{"encoder.layers.*.norm2.*", "encoder.layer.*.output.LayerNorm.*"},
  };
}

constexpr std::array kBert = encoder_rules(ForeignLayout::same);
constexpr std::array kRoberta = encoder_rules(ForeignLayout::behind_one);

constexpr std::array kBertHead{
    NameRule{"head.*", "bert.pooler.dense.*"},
    NameRule{"output.*", "classifier.*"},
};
constexpr std::array kRobertaHead{
    NameRule{"head.*", "classifier.dense.*"},
    NameRule{"output.*", "classifier.out_proj.*"},
};

// Buffers, poolers that an embedding does not use, and heads of pretraining.
constexpr std::array<std::string_view, 9> kBertIgnorable{"embeddings.position_ids",
                                                         "*.embeddings.position_ids",
                                                         "pooler.dense.*",
                                                         "bert.pooler.dense.*",
                                                         "cls.predictions.*",
                                                         "cls.predictions.transform.*.*",
                                                         "cls.predictions.transform.*.*.*",
                                                         "cls.predictions.decoder.*",
                                                         "cls.seq_relationship.*"};
constexpr std::array<std::string_view, 7> kRobertaIgnorable{"embeddings.position_ids",
                                                            "*.embeddings.position_ids",
                                                            "pooler.dense.*",
                                                            "roberta.pooler.dense.*",
                                                            "lm_head.*",
                                                            "lm_head.*.*",
                                                            "*.embeddings.token_type_ids"};

EncoderConfig read_bert_shape(ForeignConfig& config) {
  EncoderConfig shape;
  shape.d_model = read_int(config, "hidden_size", kWidths);
  shape.n_encoder_layers = read_int(config, "num_hidden_layers", kLayerCounts);
  shape.n_heads = read_int(config, "num_attention_heads", kHeadCounts);
  shape.d_ff = read_int(config, "intermediate_size", between(1, 1e6));
  shape.activation = read_activation(config, "hidden_act");
  shape.norm.epsilon =
      static_cast<float>(config.number_or("layer_norm_eps", 1e-12, between(1e-12, 1)));
  shape.norm_embedding = true;
  shape.embedding_scale = 1.0f;
  shape.positions = PositionKind::learned;
  shape.max_positions = read_int(config, "max_position_embeddings", between(3, 1e6));
  shape.token_types = static_cast<int>(config.integer_or("type_vocab_size", 2, between(1, 65536)));
  shape.dropout = read_dropout(config, "hidden_dropout_prob", 0.1);
  shape.attention_dropout = read_dropout(config, "attention_probs_dropout_prob", 0.1);
  shape.vocab_size = read_int(config, "vocab_size", kVocabularySizes);
  config.require("position_embedding_type", "absolute");
  config.ignore({"directionality", "pooler_fc_size", "pooler_num_attention_heads",
                 "pooler_num_fc_layers", "pooler_size_per_head", "pooler_type"});
  return shape;
}

constexpr int kRobertaPadding = 1;

EncoderConfig read_roberta_shape(ForeignConfig& config) {
  EncoderConfig shape = read_bert_shape(config);
  config.require("pad_token_id", kRobertaPadding);
  shape.uncounted_token = kRobertaPadding;
  shape.max_positions -= 2;
  return shape;
}

}  // namespace

ForeignModel read_bert(const ModelDirectory& directory, ForeignConfig& config) {
  ignore_encoder_settings(config);
  const EncoderConfig shape = read_bert_shape(config);
  return finish_encoder(directory, config, shape,
                        {.prefix = "bert.",
                         .encoder = kBert,
                         .older_norms = kOlderBertNorms,
                         .head = kBertHead,
                         .ignorable = kBertIgnorable},
                        read_tokenizer_of(directory));
}

ForeignModel read_roberta(const ModelDirectory& directory, ForeignConfig& config) {
  ignore_encoder_settings(config);
  const EncoderConfig shape = read_roberta_shape(config);
  return finish_encoder(directory, config, shape,
                        {.prefix = "roberta.",
                         .encoder = kRoberta,
                         .older_norms = {},
                         .head = kRobertaHead,
                         .ignorable = kRobertaIgnorable},
                        read_tokenizer_of(directory));
}

namespace {

nlohmann::ordered_json bert_settings(const EncoderConfig& shape) {
  return {{"hidden_size", shape.d_model},
          {"num_hidden_layers", shape.n_encoder_layers},
          {"num_attention_heads", shape.n_heads},
          {"intermediate_size", shape.d_ff},
          {"hidden_act", write_activation(shape.activation)},
          {"layer_norm_eps", shape.norm.epsilon},
          {"max_position_embeddings", shape.max_positions},
          {"position_embedding_type", "absolute"},
          {"type_vocab_size", shape.token_types},
          {"hidden_dropout_prob", shape.dropout},
          {"attention_probs_dropout_prob", shape.attention_dropout}};
}

nlohmann::ordered_json roberta_settings(const EncoderConfig& shape) {
  nlohmann::ordered_json json = bert_settings(shape);
  json["max_position_embeddings"] = shape.max_positions + 2;
  return json;
}

constexpr std::array kRobertaTokenizers{TokenizerType::byte_bpe};
constexpr std::array kXlmRobertaTokenizers{TokenizerType::unigram, TokenizerType::bpe,
                                           TokenizerType::chars, TokenizerType::word};

}  // namespace

std::optional<TextFiles> write_bert(const SavedModel& model, Checkpoint& equal) {
  return write_encoder(model,
                       {.type = "bert",
                        .class_prefix = "Bert",
                        .head_dropout = "classifier_dropout",
                        .has_token_types = true,
                        .settings = bert_settings},
                       equal);
}

std::optional<TextFiles> write_roberta(const SavedModel& model, Checkpoint& equal) {
  return write_encoder(model,
                       {.type = "roberta",
                        .class_prefix = "Roberta",
                        .head_dropout = "classifier_dropout",
                        .settings = roberta_settings,
                        .tokenizers = kRobertaTokenizers},
                       equal);
}

std::optional<TextFiles> write_xlm_roberta(const SavedModel& model, Checkpoint& equal) {
  return write_encoder(model,
                       {.type = "xlm-roberta",
                        .class_prefix = "XLMRoberta",
                        .head_dropout = "classifier_dropout",
                        .settings = roberta_settings,
                        .tokenizers = kXlmRobertaTokenizers},
                       equal);
}

}  // namespace attend
