// Texts without their cuts, to compare them.
#pragma once

#include <string>
#include <vector>

#include "attend/documents/sentences/translated_text.h"

namespace attend {

inline std::vector<std::string> strings_of(const std::vector<SourceText>& texts) {
  std::vector<std::string> all;
  for (const SourceText& one : texts) all.push_back(one.text);
  return all;
}

}  // namespace attend
