// Runs with the options of another one, except for some: teachers of other seeds, trials of a
// search.
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "attend/cli/commands/train/training_session.h"
#include "attend/tasks/training/trainable.h"

namespace attend {

// A run that is ready to be trained by train_task(), and to be resumed if it has checkpoints.
struct RunVariant {
  std::unique_ptr<Trainable> task;
  SessionOptions session;
  IsSet is_set;
};

// An option by name, in kebab-case, and its value as typed after a flag.
using OptionValue = std::pair<std::string, std::string>;

// All options of a run of this task.
std::vector<OptionField> run_fields(SessionOptions& session, Trainable& task);

// The name and the value of "name=value". `flag` begins messages. Throws ConfigError for another
// text, for an option that is none of `fields`, and for one of `settled`.
OptionValue option_value_of(const std::string& text, std::span<const OptionField> fields,
                            std::string_view flag, std::initializer_list<std::string_view> settled);

// The run of `task` with these values in another folder. Throws ConfigError for a wrong value.
RunVariant variant_of(Trainable& task, const SessionOptions& session, const IsSet& is_set,
                      const std::vector<OptionValue>& values, const std::filesystem::path& folder);

}  // namespace attend
