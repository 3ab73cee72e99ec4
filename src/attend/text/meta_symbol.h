// SentencePiece's symbol for a space. Private to text/.
#pragma once

#include <string_view>

namespace attend::detail {

// U+2581; a piece that begins with it begins a word.
inline constexpr std::string_view kMetaSymbol = "\xE2\x96\x81";

}  // namespace attend::detail
