// Where the elements of a marked text stand in its translation.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "attend/documents/marks/aligned_text.h"
#include "attend/documents/marks/marked_text.h"

namespace attend {

// Pieces [begin, end) of a translation.
struct PieceRange {
  std::size_t begin = 0;
  std::size_t end = 0;

  std::size_t size() const { return end - begin; }
};

// The pieces within each mark: those that translate its text, and none of what does not, as far as
// one range can have them. A mark with text gets at least one piece if there are enough. The range
// of a mark lies within that of its parent, and marks with the same parent do not overlap. A mark
// without text is a point between two pieces, and not within a mark that did not hold it.
std::vector<PieceRange> place_marks(const MarkedText& source, std::span<const AlignedPiece> pieces);

}  // namespace attend
