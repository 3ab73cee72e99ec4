#include "attend/backend/backend.h"

#include <cstdlib>
#include <string_view>

#include "attend/core/runtime.h"

namespace attend {

namespace {

Backend& default_backend() {
  static Backend& chosen = [&]() -> Backend& {
    const char* wanted = std::getenv("ATTEND_BACKEND");
    return wanted != nullptr && std::string_view(wanted) == "reference" ? reference_backend() : fast_backend();
  }();
  return chosen;
}

}  // namespace

Backend& backend() {
  Backend* const named = Runtime::current().backend();
  return named != nullptr ? *named : default_backend();
}

}  // namespace attend
