#include "attend/core/options/name_pattern.h"

#include <fnmatch.h>

namespace attend {

bool fits_pattern(const std::string& name, const std::string& pattern) {
  return ::fnmatch(pattern.c_str(), name.c_str(), 0) == 0;
}

}  // namespace attend
