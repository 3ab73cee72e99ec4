#include "attend/models/encoder_decoder_config.h"

#include <fmt/format.h>

#include "attend/core/options/number_range.h"
#include "attend/error.h"

namespace attend {

void validate_vocabularies(const EncoderDecoderConfig& c) {
  require_in_range("src-vocab-size", c.src_vocab_size, kVocabularySizes);
  require_in_range("tgt-vocab-size", c.tgt_vocab_size, kVocabularySizes);
  if (shares_inputs(c.tie_embeddings) && c.src_vocab_size != c.tgt_vocab_size)
    throw ConfigError(fmt::format(
        "tie-embeddings: {} needs one joint vocabulary, got {} source and {} target entries",
        enum_names(c.tie_embeddings)[static_cast<std::size_t>(c.tie_embeddings)], c.src_vocab_size,
        c.tgt_vocab_size));
}

}  // namespace attend
