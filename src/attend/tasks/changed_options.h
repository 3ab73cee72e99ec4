// What a resumed run does otherwise than it has done so far.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "attend/tasks/trainable.h"

namespace attend {

// The options of `task` that have another value than in a run's config.toml, a line each, for
// people: "max-steps was 600, is 300: the schedule changes". Where the run goes and what it logs is
// left out. Empty where there is no such file.
std::vector<std::string> changed_options(const std::filesystem::path& config, Trainable& task);

}  // namespace attend
