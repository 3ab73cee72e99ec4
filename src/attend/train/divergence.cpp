#include "attend/train/divergence.h"

namespace attend {

bool DivergenceWatch::look(double nll) {
  if (!std::isfinite(nll)) return true;
  if (std::isnan(state_.first)) state_.first = nll;
  state_.looks_above = nll > bound(20, 2) ? state_.looks_above + 1 : 0;
  return is_hopeless(nll) || state_.looks_above >= kLooks;
}

}  // namespace attend
