// What SentencePiece writes for a space. Private to text/.
#pragma once

#include <string_view>

namespace attend::detail {

inline constexpr std::string_view kMetaSymbol =
    "\xE2\x96\x81";  // U+2581; a piece that begins with it begins a word

}  // namespace attend::detail
