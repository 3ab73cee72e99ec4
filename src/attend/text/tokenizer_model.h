// The data shared by copies of a Tokenizer. Private to text/.
#pragma once

#include <sentencepiece_processor.h>

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "attend/text/long_text.h"
#include "attend/text/sentencepiece_model.h"
#include "attend/text/tokenizer.h"

namespace attend {

struct Tokenizer::Model {
  // Throws DataError, stating only the reason.
  explicit Model(std::string_view serialized);

  // The text of the ids as decoded by SentencePiece, for models that also map decoded text.
  std::string decode_all(std::span<const std::int32_t> ids) const;
  // The byte of a byte token.
  char byte_of(std::int32_t id) const;

  std::string bytes;
  detail::SentencePieceModel checked;  // refers to `bytes`
  detail::LongText long_text;
  sentencepiece::SentencePieceProcessor processor;
  bool unknown_is_word = false;  // in word vocabularies, the unknown token includes a space
};

}  // namespace attend
