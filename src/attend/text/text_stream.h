// Incremental detokenization: the text that each token adds, in time proportional to that token.
#pragma once

#include <cstdint>
#include <string>

#include "attend/text/tokenizer.h"

namespace attend {

//   TextStream stream(tokenizer);
//   for (const std::int32_t id : ids) text += stream.add(id);
//   text += stream.finish();
//
// leaves tokenizer.decode(ids) in `text`.
class TextStream {
 public:
  explicit TextStream(Tokenizer tokenizer) : tokenizer_(std::move(tokenizer)) {}

  // Returns the text completed by this token; bytes of an incomplete character are held back.
  // Throws DataError for an id outside the vocabulary.
  std::string add(std::int32_t id);

  // Returns the rest and resets the stream.
  std::string finish();

 private:
  std::string whole_characters(bool all);
  std::string surface(std::int32_t id);

  Tokenizer tokenizer_;
  std::string bytes_;               // pending byte tokens
  std::vector<std::int32_t> held_;  // all ids, if only the whole text can be decoded
  bool begun_ = false;              // a non-control id has been added
  bool at_start_ = true;            // a space here is the one SentencePiece prepends
  bool took_space_ = false;         // the last token had it
  bool has_text_ = false;
};

}  // namespace attend
