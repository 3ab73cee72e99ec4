// A text that changes step by step and remembers where each of its bytes comes from. Private to
// text/.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "attend/core/strings/utf8.h"
#include "attend/tokenizer.h"

namespace attend::detail {

class AlignedText {
 public:
  // Bytes [begin, end) of the original text. All bytes of a character have the same source.
  struct Source {
    std::uint32_t begin = 0, end = 0;
  };

  AlignedText() = default;
  // The original text, which begins at a byte of its source; a byte that is not UTF-8 becomes
  // U+FFFD.
  explicit AlignedText(std::string_view text, std::size_t begin = 0);

  bool empty() const { return bytes_.empty(); }
  std::size_t size() const { return bytes_.size(); }
  std::string_view bytes() const { return bytes_; }
  std::string_view bytes(std::size_t begin, std::size_t end) const {
    return std::string_view(bytes_).substr(begin, end - begin);
  }
  Source source(std::size_t byte) const { return sources_[byte]; }
  // What bytes [begin, end) come from. Precondition: begin < end.
  Source source(std::size_t begin, std::size_t end) const {
    return {sources_[begin].begin, std::max(sources_[begin].begin, sources_[end - 1].end)};
  }

  void reserve(std::size_t size) {
    bytes_.reserve(size);
    sources_.reserve(size);
  }
  void append(std::string_view bytes, Source source) {
    bytes_ += bytes;
    sources_.resize(bytes_.size(), source);
  }
  void append(char32_t c, Source source) {
    append_code_point(bytes_, c);
    sources_.resize(bytes_.size(), source);
  }
  // Gives the last character another place. Precondition: the text is not empty.
  void move_last_character(Source source);
  // Bytes [begin, end) of another text.
  void append(const AlignedText& other, std::size_t begin, std::size_t end);

 private:
  std::string bytes_;
  std::vector<Source> sources_;  // of each byte
};

// Puts `before` before a text that is not empty, with the place of its first character.
void prepend(AlignedText& text, std::string_view before);

// Replaces each character by what change(c, source, result) appends.
template <class Change>
void change_characters(AlignedText& text, const Change& change) {
  AlignedText result;
  result.reserve(text.size());
  for (std::size_t at = 0; at < text.size();) {
    const AlignedText::Source source = text.source(at);
    const char32_t c = next_code_point(text.bytes(), at);
    change(c, source, result);
  }
  text = std::move(result);
}

}  // namespace attend::detail
