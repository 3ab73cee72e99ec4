#include <fmt/format.h>

#include <filesystem>
#include <memory>

#include "attend/checkpoint/run_folder.h"
#include "attend/cli/binding/command.h"
#include "attend/cli/binding/options_binding.h"
#include "attend/cli/commands/commands.h"
#include "attend/cli/output.h"
#include "attend/error.h"
#include "attend/model_file.h"

namespace attend {
namespace {

struct AverageArguments {
  std::vector<std::string> inputs;
  std::string out;
  int last = 0;
};

template <class Visitor>
void fields(AverageArguments& a, Visitor&& visit) {
  visit("out", a.out, "model file to write");
  visit("last", a.last, between(0, 1e6), "newest checkpoints of a run to average; 0: all");
}

// The given files, or the checkpoints of a run.
std::vector<std::filesystem::path> checkpoints_of(const AverageArguments& arguments) {
  std::vector<std::filesystem::path> paths;
  for (const std::string& input : arguments.inputs) {
    if (!std::filesystem::is_directory(input)) {
      paths.emplace_back(input);
      continue;
    }
    std::vector<RunFolder::Saved> saved = RunFolder(input).checkpoints();
    if (saved.empty())
      throw ConfigError(
          fmt::format("{}: expected a run with checkpoints/ in it, found none", input));
    const auto last = static_cast<std::size_t>(arguments.last);
    if (last > saved.size())
      throw ConfigError(
          fmt::format("--last: {} holds {} checkpoints, fewer than {}", input, saved.size(), last));
    const std::size_t first = last == 0 ? 0 : saved.size() - last;
    for (std::size_t i = first; i < saved.size(); ++i) paths.push_back(saved[i].path);
  }
  return paths;
}

void run_average(const AverageArguments& arguments) {
  if (arguments.out.empty()) throw ConfigError("--out: expected the model file to write, got none");
  const auto paths = checkpoints_of(arguments);
  average_models(paths, arguments.out);
  answer("{}: the average of {} checkpoints\n", shown_path(arguments.out), paths.size());
}

}  // namespace

void add_average_command(CLI::App& app) {
  CLI::App& command = add_command(app, "average", "Average several checkpoints into a model");
  const auto arguments = std::make_shared<AverageArguments>();
  add_argument(command, arguments->inputs,
               {"checkpoints", "FILE|RUN", "checkpoint files, or the folder of a run"});
  OptionBinding(command).add(*arguments);
  on_command(command, [arguments] { run_average(*arguments); });
}

}  // namespace attend
