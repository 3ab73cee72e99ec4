// The parts of Word files.
#pragma once

#include <string_view>

#include "attend/documents/markup/markup_document.h"

namespace attend {

// A run of text, <w:r><w:rPr/><w:t>text</w:t></w:r>, is an element around its text: its beginning
// up to <w:t> and its end are a tag each. Tabs and line breaks in it are characters; a hyphen that
// is seen only at the end of a line is left out. What else stands in a paragraph, such as a
// formula, a picture, a symbol or the number of a footnote, is one piece.
MarkupDocument word_part(std::string_view xml);

}  // namespace attend
