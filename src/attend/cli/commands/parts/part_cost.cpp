#include "attend/cli/commands/parts/part_cost.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <utility>

#include "attend/cli/output.h"
#include "attend/train/measurement.h"
#include "attend/train/readable.h"

namespace attend {

namespace {

// An optimizer keeps at most two moments of each parameter.
constexpr std::int64_t kNumbersInCheckpoint = 3;

std::string megabytes(std::int64_t bytes) {
  return fmt::format("{:.0f} MB", std::ceil(static_cast<double>(bytes) / 1e6));
}

}  // namespace

PartCost training_cost(std::string name, TrainingTask& task, const TrainerOptions& options) {
  const TrainingMeasurement measured =
      measure_training(*task.objective, options, {.savings = false});
  const std::int64_t steps = planned_steps(*task.objective, options);
  const std::int64_t all = options.save_every > 0 ? 1 + steps / options.save_every : 1;
  const std::int64_t kept =
      options.keep_checkpoints > 0 ? std::min<std::int64_t>(all, options.keep_checkpoints) : all;
  const std::int64_t bytes = measured.parameters * std::int64_t{sizeof(float)};
  return {std::move(name), measured.seconds_for(steps), measured.process_bytes,
          bytes * (1 + kNumbersInCheckpoint * kept)};
}

void tell_costs(const PartCosts& costs, OutputFormat format) {
  PartCost all{"in all"};
  for (const PartCost& part : costs) {
    all.seconds += part.seconds;
    all.memory_bytes = std::max(all.memory_bytes, part.memory_bytes);
    all.disk_bytes += part.disk_bytes;
  }
  if (format == OutputFormat::json) {
    nlohmann::ordered_json stages = nlohmann::ordered_json::array();
    for (const PartCost& part : costs)
      stages.push_back(
          {{"stage", part.name}, {"seconds", part.seconds}, {"disk_bytes", part.disk_bytes}});
    const nlohmann::ordered_json json{{"stages", stages},
                                      {"seconds", all.seconds},
                                      {"process_bytes", all.memory_bytes},
                                      {"disk_bytes", all.disk_bytes}};
    return answer("{}\n", json_text(json, 1));
  }
  answer("{:<36}{:>10}{:>12}\n", "", "time", "disk");
  const auto print = [](const PartCost& part) {
    answer("{:<36}{:>10}{:>12}\n", part.name, readable_duration(part.seconds),
           megabytes(part.disk_bytes));
  };
  for (const PartCost& part : costs) print(part);
  print(all);
  answer("memory of the process: {}\n", megabytes(all.memory_bytes));
}

}  // namespace attend
