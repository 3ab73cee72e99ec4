// The mean of several checkpoints of one run: a better model than each of them (Vaswani et al.
// 2017, section 6.1).
#pragma once

#include <filesystem>
#include <span>

#include "attend/checkpoint/checkpoint.h"

namespace attend {

// The mean of every f32 tensor over the files; everything else (configuration, tokenizers) as in
// the last of them. What a trainer needs to go on, "state.*", is left out. One file is held in
// memory at a time beside the sum. Throws ConfigError when `paths` is empty; DataError when a file
// is damaged, or differs from the others in its tensors or metadata.
Checkpoint average_checkpoints(std::span<const std::filesystem::path> paths);

}  // namespace attend
