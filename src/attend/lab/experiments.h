// The experiments, one file each.
#pragma once

#include "attend/lab/experiment.h"

namespace attend::lab {

LabResult run_permutation(const Lab& lab);
LabResult run_temperature(const Lab& lab);
LabResult run_masks(const Lab& lab);
LabResult run_complexity(const Lab& lab);
LabResult run_parallelism(const Lab& lab);
LabResult run_path_length(const Lab& lab);
LabResult run_extrapolation(const Lab& lab);
LabResult run_heads(const Lab& lab);
LabResult run_depth(const Lab& lab);
LabResult run_label_smoothing(const Lab& lab);
LabResult run_warmup(const Lab& lab);
LabResult run_hard_attention(const Lab& lab);
LabResult run_architectures(const Lab& lab);

}  // namespace attend::lab
