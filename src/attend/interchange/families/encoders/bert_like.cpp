#include "attend/interchange/families/encoders/bert_like.h"

#include "attend/interchange/families/families.h"

namespace attend {

EncoderConfig read_bert_shape(ForeignConfig& config) {
  config.require("position_embedding_type", "absolute");
  return read_unpositioned_bert_shape(config);
}

EncoderConfig read_unpositioned_bert_shape(ForeignConfig& config) {
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
  shape.token_types = static_cast<int>(config.integer_or("type_vocab_size", 2, between(0, 65536)));
  shape.dropout = read_dropout(config, "hidden_dropout_prob", 0.1);
  shape.attention_dropout = read_dropout(config, "attention_probs_dropout_prob", 0.1);
  shape.vocab_size = read_int(config, "vocab_size", kVocabularySizes);
  config.ignore({"directionality", "pooler_fc_size", "pooler_num_attention_heads",
                 "pooler_num_fc_layers", "pooler_size_per_head", "pooler_type"});
  return shape;
}

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

void count_as_roberta(EncoderConfig& shape) {
  shape.uncounted_token = kRobertaPadding;
  shape.max_positions -= 2;
}

EncoderConfig read_roberta_shape(ForeignConfig& config) {
  EncoderConfig shape = read_bert_shape(config);
  config.require("pad_token_id", kRobertaPadding);
  count_as_roberta(shape);
  return shape;
}

nlohmann::ordered_json roberta_settings(const EncoderConfig& shape) {
  nlohmann::ordered_json json = bert_settings(shape);
  json["max_position_embeddings"] = shape.max_positions + 2;
  return json;
}

}  // namespace attend
