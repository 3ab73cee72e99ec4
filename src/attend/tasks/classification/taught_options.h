// The options of a classifier that learns from what teachers have said.
#pragma once

#include "attend/tasks/classification/training.h"

namespace attend {

// Throws ConfigError for options that do not fit --soft-labels or --margins.
void check_taught(const ClassificationTraining& options);

}  // namespace attend
