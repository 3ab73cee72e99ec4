// Places of bytes in a text, counted in characters.
#pragma once

#include <cstddef>
#include <string_view>

#include "attend/core/strings/utf8.h"

namespace attend {

// Quick for places in ascending order. The text must outlive it.
class CharacterIndex {
 public:
  explicit CharacterIndex(std::string_view text) : text_(text) {}

  // The number of characters before a byte.
  std::size_t of(std::size_t byte) {
    if (byte < byte_) byte_ = characters_ = 0;
    characters_ += count_code_points(text_.substr(byte_, byte - byte_));
    byte_ = byte;
    return characters_;
  }

 private:
  std::string_view text_;
  std::size_t byte_ = 0, characters_ = 0;
};

}  // namespace attend
