// Incremental detokenization: the text that each token adds, in time proportional to that token.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "attend/text/tokenizer.h"

namespace attend {

namespace detail {
class TextDecoder;
}

//   TextStream stream(tokenizer);
//   for (const std::int32_t id : ids) text += stream.add(id);
//   text += stream.finish();
//
// leaves tokenizer.decode(ids) in `text`.
class TextStream {
 public:
  // Line breaks that tokens spell become spaces, as in Tokenizer::decode(), or stay.
  enum class LineBreaks { spaces, kept };
  explicit TextStream(Tokenizer tokenizer, LineBreaks line_breaks = LineBreaks::spaces);
  TextStream(TextStream&&) noexcept;
  TextStream& operator=(TextStream&&) noexcept;
  ~TextStream();

  // Returns the text completed by this token; bytes of an incomplete character are held back.
  // Throws DataError for an id outside the vocabulary.
  std::string add(std::int32_t id);

  // Returns the rest and resets the stream.
  std::string finish();

  // The bytes that a token stands for within a text, with the space before a word; the piece of a
  // token without text. Throws DataError for an id outside the vocabulary.
  static std::string token_bytes(const Tokenizer& tokenizer, std::int32_t id);

 private:
  std::string as_wanted(std::string text) const;

  Tokenizer tokenizer_;  // what the decoder refers to
  LineBreaks line_breaks_;
  std::unique_ptr<detail::TextDecoder> decoder_;
};

}  // namespace attend
