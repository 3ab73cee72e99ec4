// A text that is longer than a model or a limit allows.
#pragma once

#include "attend/error.h"

namespace attend {

// A server answers it with another status than a text that says nothing.
class TooLongError : public LineError {
 public:
  using LineError::LineError;
};

}  // namespace attend
