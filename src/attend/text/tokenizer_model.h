// What a Tokenizer shares among its copies. Private to text/.
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
  // Throws DataError, with the reason alone.
  explicit Model(std::string_view serialized);

  // The text of the ids as SentencePiece gives it: for models that change text once more after
  // decoding.
  std::string decode_all(std::span<const std::int32_t> ids) const;
  // The byte that a byte piece stands for.
  char byte_of(std::int32_t id) const;

  std::string bytes;
  detail::SentencePieceModel checked;  // refers to `bytes`
  detail::LongText long_text;
  sentencepiece::SentencePieceProcessor processor;
  bool unknown_is_word = false;  // as in word vocabularies: it stands for a word with its space
};

}  // namespace attend
