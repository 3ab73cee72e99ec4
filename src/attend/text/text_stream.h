// Ids -> string, one after the other: what each token adds to the text, at the cost of that token
// alone.
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

  // The text that is settled with this token: bytes of a character wait until it is whole. Throws
  // DataError for an id outside the vocabulary.
  std::string add(std::int32_t id);

  // What still waits. Then the stream begins anew.
  std::string finish();

 private:
  std::string whole_characters(bool all);
  std::string surface(std::int32_t id);

  Tokenizer tokenizer_;
  std::string bytes_;               // of byte pieces, that wait
  std::vector<std::int32_t> held_;  // all ids, where only the whole text can be decoded
  bool begun_ = false;              // an id that is not a control id has come
  bool at_start_ = true;            // a space here is the one that stands before every text
  bool took_space_ = false;         // and the last piece had it
  bool has_text_ = false;
};

}  // namespace attend
