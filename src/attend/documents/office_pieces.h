// The prose of office files, as pieces: what stands in the text of a paragraph, and nothing else.
#pragma once

#include <deque>
#include <string>
#include <string_view>
#include <vector>

#include "attend/documents/markup_pieces.h"

namespace attend {

// Pieces that together are the markup, and the strings of those that are not in it.
struct PieceList {
  std::vector<MarkupPiece> pieces;
  std::deque<std::string> made;
};

// A part of a Word file. A run of text, <w:r><w:rPr/><w:t>text</w:t></w:r>, is an element around
// its text: its beginning up to <w:t> and its end are a tag each. Tabs and line breaks in it are
// characters. What else stands in a paragraph, such as a formula, a picture or the number of the
// page, is one piece.
PieceList word_pieces(std::vector<MarkupPiece> pieces);
std::string escaped_word(std::string_view text);

// A part of an OpenDocument file. Tabs, line breaks and repeated spaces are characters.
PieceList open_document_pieces(std::vector<MarkupPiece> pieces);
std::string escaped_open_document(std::string_view text);

}  // namespace attend
