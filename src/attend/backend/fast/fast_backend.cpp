#include "attend/backend/fast/fast_backend.h"

namespace attend {

Backend& fast_backend() {
  static FastBackend instance;
  return instance;
}

}  // namespace attend
