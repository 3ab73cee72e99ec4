#include "attend/train/listener.h"

#include <cmath>

namespace attend {

const char* name_of(TrainingEnd reason) {
  switch (reason) {
    case TrainingEnd::kFinished:
      return "finished";
    case TrainingEnd::kStoppedEarly:
      return "stopped early";
    case TrainingEnd::kInterrupted:
      return "interrupted";
    case TrainingEnd::kDiverged:
      return "diverged";
    case TrainingEnd::kFailed:
      return "failed";
  }
  return "unknown";
}

double perplexity(double nll) { return std::exp(nll); }

}  // namespace attend
