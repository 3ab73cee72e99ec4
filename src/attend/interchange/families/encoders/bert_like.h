// What BERT and the encoders that descend from it have in common: their settings, and the names of
// their weights.
#pragma once

#include <array>
#include <nlohmann/json.hpp>

#include "attend/interchange/foreign_config.h"
#include "attend/interchange/weights/name_map.h"
#include "attend/models/encoder_transformer.h"

namespace attend {

// Positions of RoBERTa begin after two rows: one that is not used, and that of padding.
constexpr std::array<NameRule, 13> bert_rules(ForeignLayout positions) {
  return {
      NameRule{"embedding.weight", "embeddings.word_embeddings.weight", ForeignLayout::first_rows},
      NameRule{"positions.weight", "embeddings.position_embeddings.weight", positions},
      NameRule{"token_types.weight", "embeddings.token_type_embeddings.weight",
               ForeignLayout::first_rows},
      NameRule{"norm.*", "embeddings.LayerNorm.*"},
      NameRule{"embedding_projection.*", "embeddings_project.*"},  // ELECTRA's
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

inline constexpr std::array kBertEncoder = bert_rules(ForeignLayout::same);
inline constexpr std::array kRobertaEncoder = bert_rules(ForeignLayout::behind_one);

EncoderConfig read_bert_shape(ForeignConfig& config);
// The same with any positions, which are left to the caller.
EncoderConfig read_unpositioned_bert_shape(ForeignConfig& config);
// The settings of a shape, by their names in config.json.
nlohmann::ordered_json bert_settings(const EncoderConfig& shape);

// The padding of RoBERTa, which its positions do not count.
inline constexpr int kRobertaPadding = 1;
void count_as_roberta(EncoderConfig& shape);
EncoderConfig read_roberta_shape(ForeignConfig& config);
nlohmann::ordered_json roberta_settings(const EncoderConfig& shape);

}  // namespace attend
