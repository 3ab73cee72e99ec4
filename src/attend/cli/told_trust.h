// What commands say of translations that were judged.
#pragma once

#include "attend/cli/output.h"
#include "attend/tasks/translation/trust/trust.h"

namespace attend {

// A line on standard error, after all answers.
inline void tell_trust(const TrustSummary& trust) {
  flush_answers();
  tell("{}\n", trust.text());
}

}  // namespace attend
