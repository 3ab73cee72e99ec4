#include "attend/tasks/training/training_task.h"

#include <fmt/format.h>

#include <filesystem>
#include <utility>
#include <vector>

#include "attend/core/json/json.h"
#include "attend/core/options/option_error.h"
#include "attend/core/options/option_fields.h"
#include "attend/core/strings/quote.h"
#include "attend/error.h"
#include "attend/tasks/model_file/golden.h"

namespace attend {

TrainingRun run_of(const TrainingTask& task, RunFolder folder, bool resume) {
  TrainingRun run{std::move(folder), resume, task.d_model, {}, {}, nullptr, {}};
  if (task.describe) {
    run.describe_model = task.describe;
    return run;
  }
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
  if (before == now) return;
  const auto was = parse_json(before, resumed.source), is = parse_json(now, resumed.source);
  const auto text = [](const nlohmann::ordered_json& value) {
    return value.is_string() ? value.get<std::string>() : value.dump();
  };
  std::vector<std::string> changes;
  for (const auto& [name, value] : is.items()) {
    const auto found = was.find(name);
    const std::string old = found == was.end() ? "unknown" : text(*found);
    if (old != text(value))
      changes.push_back(fmt::format("{} was {}, is {}", kebab_case(name), old, text(value)));
  }
  throw OptionError<ConfigError>(
      "{}: {}; the model of {} can only continue unchanged", as_flag("resume"),
      printable(fmt::format("{}", fmt::join(changes, ", ")), 500), resumed.source);
}

}  // namespace attend
