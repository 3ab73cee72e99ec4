// The texts of a document with markup, and what stands between them.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "attend/documents/marks/marked_text.h"
#include "attend/documents/markup/markup_pieces.h"

namespace attend {

struct TextBlocks {
  std::vector<std::string> between;  // bytes before each block, and after the last one
  std::vector<MarkedText> blocks;
  std::vector<TextBlocks> insets;  // documents in marks of the blocks, such as footnotes
};

// Texts with the inline pieces among them are blocks, with marks of their tags; all other pieces
// stand between blocks. `text_in_marks`: see MarkedText; if not, white space of any length is one
// space, as a browser shows it.
TextBlocks blocks_of(std::span<const MarkupPiece> pieces, bool text_in_marks);

}  // namespace attend
