// Which pieces of markup belong to one element.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "attend/documents/markup/markup_pieces.h"

namespace attend {

inline constexpr std::size_t kNoPartner = static_cast<std::size_t>(-1);

// The number of the piece that closes or opens the element of each tag: its own for texts, comments
// and elements without content, kNoPartner for tags without a partner, or in more than `deepest`
// open elements.
std::vector<std::size_t> partners_of(std::span<const MarkupPiece> pieces, std::size_t deepest);

}  // namespace attend
