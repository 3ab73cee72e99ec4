// SentencePiece's symbol for a space. Private to text/.
#pragma once

#include <algorithm>
#include <string>
#include <string_view>

namespace attend::detail {

// U+2581; a piece that begins with it begins a word.
inline constexpr std::string_view kMetaSymbol = "\xE2\x96\x81";

// A piece as text.
inline std::string with_spaces(std::string_view piece) {
  std::string text;
  for (std::size_t at = 0; at < piece.size();) {
    const std::size_t meta = std::min(piece.find(kMetaSymbol, at), piece.size());
    text += piece.substr(at, meta - at);
    if (meta < piece.size()) text += ' ';
    at = meta + kMetaSymbol.size();
  }
  return text;
}

}  // namespace attend::detail
