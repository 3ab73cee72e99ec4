// The parts of office files. Their prose is what stands in the text of a paragraph, and nothing
// else.
#pragma once

#include <string_view>

#include "attend/documents/markup/markup_document.h"

namespace attend {

// A part of a Word file. A run of text, <w:r><w:rPr/><w:t>text</w:t></w:r>, is an element around
// its text: its beginning up to <w:t> and its end are a tag each. Tabs and line breaks in it are
// characters. What else stands in a paragraph, such as a formula, a picture or the number of the
// page, is one piece.
MarkupDocument word_part(std::string_view xml);

// A part of an OpenDocument file. Tabs, line breaks and repeated spaces are characters.
MarkupDocument open_document_part(std::string_view xml);

}  // namespace attend
