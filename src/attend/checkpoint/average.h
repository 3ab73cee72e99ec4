// Averages several checkpoints of one run, often better than each of them (Vaswani et al. 2017,
// section 6.1).
#pragma once

#include <filesystem>
#include <span>

#include "attend/checkpoint/checkpoint.h"

namespace attend {

// The average of every f32 tensor over the files; everything else (configuration, tokenizers) is
// taken from the last. Omits training state, "state.*". Holds one file in memory at a time, plus
// the sum. Throws ConfigError if `paths` is empty; DataError if a file is damaged, or differs from
// the others in its tensors or metadata.
Checkpoint average_checkpoints(std::span<const std::filesystem::path> paths);

}  // namespace attend
