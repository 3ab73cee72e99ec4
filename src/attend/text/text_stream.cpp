#include "attend/text/text_stream.h"

#include <algorithm>
#include <utility>

#include "attend/text/tokenizer_engine.h"

namespace attend {
namespace {

// A text is one line; only bytes or foreign pieces can contain line breaks.
std::string one_line(std::string text) {
  std::replace_if(
      text.begin(), text.end(), [](char c) { return c == '\n' || c == '\r'; }, ' ');
  return text;
}

}  // namespace

TextStream::TextStream(Tokenizer tokenizer)
    : tokenizer_(std::move(tokenizer)), decoder_(tokenizer_.engine().decoder()) {}
TextStream::TextStream(TextStream&&) noexcept = default;
TextStream& TextStream::operator=(TextStream&&) noexcept = default;
TextStream::~TextStream() = default;

std::string TextStream::add(std::int32_t id) {
  tokenizer_.check(id);
  return one_line(decoder_->add(id));
}

std::string TextStream::finish() { return one_line(decoder_->finish()); }

}  // namespace attend
