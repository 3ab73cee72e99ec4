// What a language model takes for a text: a stream of lines, or a document of the world.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "attend/data/language.h"
#include "attend/tokenizer.h"

namespace attend {

//   lines      `eos line1 eos line2 eos ...`: eos ends every line and also begins the text. A line
//              break in a text is that token.
//   documents  A text is what its tokenizer makes of it: line breaks are characters like others.
struct LanguageFormat {
  TextUnit unit = TextUnit::lines;
  std::vector<std::int32_t> prefix = {};  // tokens before a text; of lines: the one that begins it
  std::vector<std::int32_t> suffix = {};  // tokens after a prompt, of documents
  std::int32_t start = -1;                // begins a document without a token; -1: none does
  std::vector<std::int32_t> ends = {};    // each ends an answer
  // Sequences that are never written. Of lines that forbid none, the tokens without text are.
  std::vector<std::vector<std::int32_t>> forbidden = {};

  bool has_lines() const { return unit == TextUnit::lines; }
  // In a document, the strings of special tokens are these tokens, as its tokenizer reads them.
  SpecialText special_text() const {
    return has_lines() ? SpecialText::as_text : SpecialText::as_tokens;
  }
  // With the tokens before and after a text.
  std::vector<std::int32_t> around(std::vector<std::int32_t> ids) const;

  // How a text to train on is read.
  StreamFormat stream() const;

  std::string to_json() const;
  // Throws DataError, also for ids outside the vocabulary.
  static LanguageFormat from_json(std::string_view json, const Tokenizer& tokenizer,
                                  const std::string& where);

  bool operator==(const LanguageFormat&) const = default;
};

// The metadata of a model file with a text format. Without it a model was trained on lines, and
// forbids none.
inline constexpr const char* kLanguageFormatKey = "attend.language_format";

// Documents of a tokenizer that attend has trained: each follows an end.
LanguageFormat text_of_documents(std::int32_t eos);
// Lines that begin with this token.
LanguageFormat text_of_lines(std::int32_t first, std::int32_t eos);

}  // namespace attend
