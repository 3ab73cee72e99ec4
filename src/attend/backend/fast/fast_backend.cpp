#include "attend/backend/fast/fast_backend.h"

namespace attend {

Backend& fast_backend() {
  static FastBackend instance;
  return instance;
}

Backend& bf16_backend() {
  static Bf16Backend instance;
  return instance;
}

}  // namespace attend
