#pragma once

#include <cstddef>
#include <string>

namespace attend {

// How often `part` stands in `text`, not counting those that overlap.
inline std::size_t occurrences(const std::string& text, const std::string& part) {
  std::size_t n = 0;
  for (std::size_t at = text.find(part); at != std::string::npos;
       at = text.find(part, at + part.size()))
    ++n;
  return n;
}

}  // namespace attend
