// The experiments, a file each.
#pragma once

#include "attend/tasks/lab/experiment.h"

namespace attend::lab {

LabResult run_permutation(const Lab& lab);
LabResult run_temperature(const Lab& lab);
LabResult run_masks(const Lab& lab);

}  // namespace attend::lab
