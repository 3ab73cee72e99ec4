// What teachers take to answer texts, by a few of them.
#pragma once

#include <filesystem>
#include <span>
#include <string>

#include "attend/cli/commands/parts/part_cost.h"
#include "attend/tasks/training/taught_texts.h"

namespace attend {

// Leaves answers of the same size for all texts in `folder`: those of the first texts, again and
// again. Throws like write_taught_texts().
PartCost taught_cost(std::span<const std::string> texts, const TaughtKind& kind,
                     const TeachTexts& teach, const std::filesystem::path& folder);

}  // namespace attend
