// The texts of a part of an office file, and the part with them in capitals.
#pragma once

#include <string>
#include <vector>

#include "attend/documents/markup/markup_document.h"
#include "attend/documents/markup/xml.h"
#include "documents/in_capitals.h"

namespace attend {

using Strings = std::vector<std::string>;

inline std::string checked_capitals(const MarkupDocument& document) {
  const std::string out = document.translation(in_capitals(document.texts()).texts, 0);
  require_well_formed(out, "the translation");
  return out;
}

}  // namespace attend
