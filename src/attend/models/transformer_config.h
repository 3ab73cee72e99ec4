// The shape of a Transformer. Every default is written here and nowhere else.
#pragma once

#include <array>
#include <cstdint>
#include <string>

#include "attend/backend/backend.h"
#include "attend/core/options.h"
#include "attend/models/encoder_decoder_config.h"
#include "attend/nn/positional_encoding.h"

namespace attend {

inline std::span<const std::string_view> enum_names(Activation) {
  static constexpr std::array<std::string_view, 4> names{"none", "relu", "gelu", "tanh"};
  return names;
}

struct TransformerConfig : EncoderDecoderConfig {
  int n_heads = 8;
  int d_ff = 2048;
  int n_encoder_layers = 6;
  int n_decoder_layers = 6;
  int d_key = 0;                    // width of one head's queries and keys; 0: d_model / n_heads
  int d_value = 0;                  // width of one head's values; 0: d_model / n_heads
  float attention_dropout = 0.0f;   // on attention weights
  float activation_dropout = 0.0f;  // inside the feed-forward network
  Activation activation = Activation::relu;
  bool norm_first = false;
  PositionKind positions = PositionKind::sinusoidal;
  int max_positions = 1024;  // of a learned table
};

template <class Visitor>
void fields(TransformerConfig& c, Visitor&& visit) {
  visit("d-model", c.d_model, kWidths, "width of the model");
  visit("n-heads", c.n_heads, kHeadCounts, "attention heads; must divide d-model unless d-key and d-value are given");
  visit("d-ff", c.d_ff, between(1, 1e6), "width inside the feed-forward network");
  visit("n-encoder-layers", c.n_encoder_layers, kLayerCounts, "layers of the encoder");
  visit("n-decoder-layers", c.n_decoder_layers, kLayerCounts, "layers of the decoder");
  visit("d-key", c.d_key, between(0, kWidths.most), "width of one head's queries and keys; 0: d-model / n-heads");
  visit("d-value", c.d_value, between(0, kWidths.most), "width of one head's values; 0: d-model / n-heads");
  visit("dropout", c.dropout, below_one(), "dropout on embeddings and sublayer outputs");
  visit("attention-dropout", c.attention_dropout, below_one(), "dropout on attention weights");
  visit("activation-dropout", c.activation_dropout, below_one(), "dropout inside the feed-forward network");
  visit("activation", c.activation, "of the feed-forward network");
  visit("norm-first", c.norm_first, "normalise before each sublayer (pre-norm) instead of after it as in the paper");
  visit("positions", c.positions, "how positions are encoded");
  visit("max-positions", c.max_positions, between(1, 1e6), "length of a learned table of positions");
  fields(c.attention, visit);
  visit("tie-embeddings", c.tie_embeddings, "which embedding tables are one: none, target (with the output projection), all");
}

// Throws ConfigError naming the option that is wrong.
void validate(const TransformerConfig& config);

}  // namespace attend
