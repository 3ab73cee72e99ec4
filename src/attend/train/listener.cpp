#include "attend/train/listener.h"

#include <cmath>

namespace attend {

const char* name_of(TrainingEnd reason) {
  switch (reason) {
    case TrainingEnd::finished:
      return "finished";
    case TrainingEnd::stopped_early:
      return "stopped early";
    case TrainingEnd::interrupted:
      return "interrupted";
    case TrainingEnd::diverged:
      return "diverged";
    case TrainingEnd::failed:
      return "failed";
  }
  return "unknown";
}

double perplexity(double nll) { return std::exp(nll); }

}  // namespace attend
