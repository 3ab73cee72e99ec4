// The options in which a resumed run differs from the run so far.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "attend/tasks/training/trainable.h"

namespace attend {

// The options of `task` whose values differ from a run's config.toml, one line each, for people:
// "max-steps was 600, is 300: the schedule changes". Omits the folder and the logging. Empty if
// there is no such file.
std::vector<std::string> changed_options(const std::filesystem::path& config, Trainable& task);

// Throws ConfigError if the run with this config.toml started from something else than `init_from`
// (empty: not given).
void require_same_origin(const std::filesystem::path& config, std::string_view task,
                         const std::string& init_from);

// The model that the run with this config.toml started from. Empty: random numbers, or there is no
// such file.
std::string initial_model_of(const std::filesystem::path& config);

}  // namespace attend
