// The parts of OpenDocument files.
#pragma once

#include <string_view>

#include "attend/documents/markup/markup_document.h"

namespace attend {

// Tabs, line breaks and repeated spaces are characters. A note is a point in its sentence and has
// texts of its own.
MarkupDocument open_document_part(std::string_view xml);

}  // namespace attend
