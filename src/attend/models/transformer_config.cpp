#include "attend/models/transformer_config.h"

#include <fmt/format.h>

#include "attend/core/error.h"
#include "attend/core/option_check.h"

namespace attend {

namespace {

void probability(float value, const char* name) {
  if (!(value >= 0.0f && value < 1.0f)) throw ConfigError(fmt::format("{}: expected a probability in [0, 1), got {}", name, value));
}

}  // namespace

void validate(const TransformerConfig& c) {
  validate(static_cast<const EncoderDecoderConfig&>(c));
  require_at_least("n-heads", c.n_heads, 1);
  require_at_least("d-ff", c.d_ff, 1);
  require_at_least("n-encoder-layers", c.n_encoder_layers, 1);
  require_at_least("n-decoder-layers", c.n_decoder_layers, 1);
  require_at_least("d-key", c.d_key, 0);
  require_at_least("d-value", c.d_value, 0);
  require_at_least("max-positions", c.max_positions, 1);
  if (c.d_model % c.n_heads != 0 && (c.d_key == 0 || c.d_value == 0))
    throw ConfigError(
        fmt::format("n-heads: {} does not divide d-model {}; choose a divisor, or set d-key and d-value", c.n_heads, c.d_model));
  probability(c.attention_dropout, "attention-dropout");
  probability(c.activation_dropout, "activation-dropout");
}

}  // namespace attend
