// The texts of XLIFF: what is within <source>, with its codes.
#pragma once

#include <cstddef>
#include <span>
#include <string_view>

#include "attend/documents/marks/marked_text.h"
#include "attend/documents/markup/markup_pieces.h"

namespace attend {

// The content of an element as a marked text. Elements around text, such as <g>, <pc> and <mrk>,
// are marks; so is all from <bx/> to its <ex/>, from <bpt> to its <ept>, from <sc/> to its <ec/>.
// What else stands there is a point: <x/>, <ph>, and what is not to be translated. `partners`:
// partners_of() the same pieces; `prefix`: that of XLIFF, in small letters, "x:" or "". Throws
// TooLongError for thousands of codes in one text.
MarkedText xliff_text(std::span<const MarkupPiece> pieces, std::span<const std::size_t> partners,
                      std::string_view prefix);

}  // namespace attend
