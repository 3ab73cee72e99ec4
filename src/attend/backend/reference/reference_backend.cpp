#include "attend/backend/reference/reference_backend.h"

namespace attend {

Backend& reference_backend() {
  static ReferenceBackend instance;
  return instance;
}

}  // namespace attend
