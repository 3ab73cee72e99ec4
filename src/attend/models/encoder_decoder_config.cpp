#include "attend/models/encoder_decoder_config.h"

#include <fmt/format.h>

#include "attend/core/number_range.h"
#include "attend/error.h"

namespace attend {

void validate_vocabularies(const EncoderDecoderConfig& c) {
  require_in_range("src-vocab-size", c.src_vocab_size, kVocabularySizes);
  require_in_range("tgt-vocab-size", c.tgt_vocab_size, kVocabularySizes);
  if (c.tie_embeddings == TiedEmbeddings::all && c.src_vocab_size != c.tgt_vocab_size)
    throw ConfigError(fmt::format(
        "tie-embeddings: all needs one joint vocabulary, got {} source and {} target entries",
        c.src_vocab_size, c.tgt_vocab_size));
}

}  // namespace attend
