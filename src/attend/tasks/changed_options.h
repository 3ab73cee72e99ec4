// The options in which a resumed run differs from the run so far.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "attend/tasks/trainable.h"

namespace attend {

// The options of `task` whose values differ from a run's config.toml, one line each, for people:
// "max-steps was 600, is 300: the schedule changes". Omits the folder and the logging. Empty if
// there is no such file.
std::vector<std::string> changed_options(const std::filesystem::path& config, Trainable& task);

}  // namespace attend
