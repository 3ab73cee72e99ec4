// The parts of PowerPoint files, and the charts and diagrams of all office files of Microsoft.
#pragma once

#include <string_view>

#include "attend/documents/markup/markup_document.h"

namespace attend {

// A run of text, <a:r><a:rPr/><a:t>text</a:t></a:r>, is an element around its text. A line break
// ends a text. Fields, such as the number of the slide, stay.
MarkupDocument drawing_part(std::string_view xml);

// The same without the shapes that only say where the text of a slide goes.
MarkupDocument drawing_part_without_placeholders(std::string_view xml);

}  // namespace attend
