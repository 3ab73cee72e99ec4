#include "attend/backend/backend.h"

#include <cstdlib>
#include <string_view>

namespace attend {

namespace {

Backend* initial_backend() {
  const char* wanted = std::getenv("ATTEND_BACKEND");
  return wanted != nullptr && std::string_view(wanted) == "reference" ? &reference_backend() : &fast_backend();
}

Backend*& current() {
  static Backend* instance = initial_backend();
  return instance;
}

}  // namespace

Backend& backend() { return *current(); }

ScopedBackend::ScopedBackend(Backend& replacement) : previous_(current()) { current() = &replacement; }
ScopedBackend::~ScopedBackend() { current() = previous_; }

}  // namespace attend
