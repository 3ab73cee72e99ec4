#include "attend/tasks/training_task.h"

#include <fmt/format.h>

#include <filesystem>
#include <utility>

#include "attend/core/quote.h"
#include "attend/error.h"
#include "attend/tasks/golden.h"

namespace attend {

TrainingRun run_of(const TrainingTask& task, RunFolder folder, bool resume) {
  TrainingRun run{std::move(folder), resume, task.d_model, {}, {}, nullptr, {}};
  run.describe_model = [&task](Checkpoint& checkpoint) { task.model->describe(checkpoint); };
  run.add_samples = [&task](Checkpoint& model) { add_golden_samples(model, *task.model); };
  return run;
}

std::vector<std::string> in_folder(const std::string& folder, std::vector<std::string> files) {
  for (std::string& file : files) file = (std::filesystem::path(folder) / file).string();
  return files;
}

void require_same_model(const Checkpoint& resumed, const std::string& before,
                        const std::string& now) {
  if (before != now)
    throw ConfigError(
        fmt::format("--resume: the model differs from that of {}: it was {}, now it is {}",
                    resumed.source, printable(before, 500), printable(now, 500)));
}

}  // namespace attend
