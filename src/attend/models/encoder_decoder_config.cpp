#include "attend/models/encoder_decoder_config.h"

#include <fmt/format.h>

#include <cmath>

#include "attend/core/error.h"
#include "attend/core/option_check.h"

namespace attend {

void validate(const EncoderDecoderConfig& c) {
  require_at_least("d-model", c.d_model, 1);
  require_at_least("src-vocab-size", c.src_vocab_size, 1);
  require_at_least("tgt-vocab-size", c.tgt_vocab_size, 1);
  if (!(c.dropout >= 0.0f && c.dropout < 1.0f))
    throw ConfigError(fmt::format("dropout: expected a probability in [0, 1), got {}", c.dropout));
  if (!std::isfinite(c.attention.inverse_temperature))
    throw ConfigError(fmt::format("inverse-temperature: expected a number, got {}", c.attention.inverse_temperature));
  if (c.tie_embeddings == TiedEmbeddings::all && c.src_vocab_size != c.tgt_vocab_size)
    throw ConfigError(fmt::format("tie-embeddings: all needs one joint vocabulary, got {} source and {} target entries", c.src_vocab_size,
                                  c.tgt_vocab_size));
}

}  // namespace attend
