#include "attend/text/text_stream.h"

#include <algorithm>
#include <utility>

#include "attend/text/tokenizer_engine.h"

namespace attend {
TextStream::TextStream(Tokenizer tokenizer, LineBreaks line_breaks)
    : tokenizer_(std::move(tokenizer)),
      line_breaks_(line_breaks),
      decoder_(tokenizer_.engine().decoder()) {}
TextStream::TextStream(TextStream&&) noexcept = default;
TextStream& TextStream::operator=(TextStream&&) noexcept = default;
TextStream::~TextStream() = default;

std::string TextStream::add(std::int32_t id) {
  tokenizer_.check(id);
  return as_wanted(decoder_->add(id));
}

std::string TextStream::finish() { return as_wanted(decoder_->finish()); }

std::string TextStream::token_bytes(const Tokenizer& tokenizer, std::int32_t id) {
  tokenizer.check(id);
  const detail::TokenizerEngine& engine = tokenizer.engine();
  return engine.is_control(id) ? engine.piece(id) : engine.surface(id);
}

// A text is one line; only bytes or foreign pieces can contain line breaks.
std::string TextStream::as_wanted(std::string text) const {
  if (line_breaks_ == LineBreaks::spaces)
    std::replace_if(
        text.begin(), text.end(), [](char c) { return c == '\n' || c == '\r'; }, ' ');
  return text;
}

}  // namespace attend
