#include "attend/models/transformer_config.h"

#include <fmt/format.h>

#include "attend/core/error.h"

namespace attend {

namespace {

void at_least(int value, int least, const char* name) {
  if (value < least) throw ConfigError(fmt::format("{}: expected at least {}, got {}", name, least, value));
}

void probability(float value, const char* name) {
  if (!(value >= 0.0f && value < 1.0f)) throw ConfigError(fmt::format("{}: expected a probability in [0, 1), got {}", name, value));
}

}  // namespace

void validate(const TransformerConfig& c) {
  at_least(c.d_model, 1, "d-model");
  at_least(c.n_heads, 1, "n-heads");
  at_least(c.d_ff, 1, "d-ff");
  at_least(c.n_encoder_layers, 1, "n-encoder-layers");
  at_least(c.n_decoder_layers, 1, "n-decoder-layers");
  at_least(c.d_key, 0, "d-key");
  at_least(c.d_value, 0, "d-value");
  at_least(c.src_vocab_size, 1, "src-vocab-size");
  at_least(c.tgt_vocab_size, 1, "tgt-vocab-size");
  at_least(c.max_positions, 1, "max-positions");
  if (c.d_model % c.n_heads != 0 && (c.d_key == 0 || c.d_value == 0))
    throw ConfigError(
        fmt::format("n-heads: {} does not divide d-model {}; choose a divisor, or set d-key and d-value", c.n_heads, c.d_model));
  probability(c.dropout, "dropout");
  probability(c.attention_dropout, "attention-dropout");
  probability(c.activation_dropout, "activation-dropout");
  if (c.tie_embeddings == TiedEmbeddings::all && c.src_vocab_size != c.tgt_vocab_size)
    throw ConfigError(fmt::format("tie-embeddings: all needs one joint vocabulary, got {} source and {} target entries", c.src_vocab_size,
                                  c.tgt_vocab_size));
}

}  // namespace attend
