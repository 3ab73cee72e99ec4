#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>

#include "attend/checkpoint/average.h"
#include "attend/checkpoint/run_folder.h"
#include "attend/cli/binding/command.h"
#include "attend/cli/binding/options_binding.h"
#include "attend/cli/binding/thread_options.h"
#include "attend/cli/commands/average/held_out_score.h"
#include "attend/cli/commands/commands.h"
#include "attend/cli/output.h"
#include "attend/cli/output_format.h"
#include "attend/cli/progress_line.h"
#include "attend/core/strings/counted.h"
#include "attend/error.h"
#include "attend/model_file.h"
#include "attend/tasks/model_file/golden.h"
#include "attend/tasks/model_file/registry.h"

namespace attend {
namespace {

struct AverageArguments {
  std::vector<std::string> inputs;
  std::string out;
  int last = 0;
  bool greedy = false;
  HeldOutData data;
  OutputFormat format = OutputFormat::text;
  ThreadOptions threads;
};

template <class Visitor>
void fields(AverageArguments& a, Visitor&& visit) {
  visit("out", a.out, "model file to write");
  visit("last", a.last, between(0, 1e6), "newest checkpoints of a run to average; 0: all");
  visit("greedy", a.greedy,
        "leave out what makes the average worse on held-out data, trying the best model first");
  fields(a.data, visit);
  visit("format", a.format, "text for people, json for programs: the model and its checkpoints");
  fields(a.threads, visit);
}

bool is_run(const std::string& input) { return std::filesystem::is_directory(input); }

// The given files, or the checkpoints of a run.
std::vector<std::filesystem::path> checkpoints_of(const AverageArguments& arguments) {
  std::vector<std::filesystem::path> paths;
  for (const std::string& input : arguments.inputs) {
    if (!is_run(input)) {
      paths.emplace_back(input);
      continue;
    }
    std::vector<RunFolder::Saved> saved = RunFolder(input).checkpoints();
    if (saved.empty())
      throw ConfigError(
          fmt::format("{}: expected a run with checkpoints/ in it, found none", input));
    const auto last = static_cast<std::size_t>(arguments.last);
    if (last > saved.size())
      throw ConfigError(fmt::format("--last: {} holds {}, fewer than {}", input,
                                    counted(saved.size(), "checkpoint"), last));
    const std::size_t first = last == 0 ? 0 : saved.size() - last;
    for (std::size_t i = first; i < saved.size(); ++i) paths.push_back(saved[i].path);
  }
  return paths;
}

std::string to_json(const AverageArguments& arguments, const Soup& soup, const std::string& name) {
  nlohmann::ordered_json json{{"model", arguments.out},
                              {"measure", name},
                              {"score", soup.score},
                              {"checkpoints", nlohmann::ordered_json::array()}};
  for (const Soup::Ingredient& one : soup.ingredients)
    json["checkpoints"].push_back({{"checkpoint", one.path.string()},
                                   {"alone", one.alone},
                                   {"with", one.with},
                                   {"kept", one.kept}});
  return json_text(json);
}

void print(const AverageArguments& arguments, const Soup& soup, const std::string& name) {
  for (const Soup::Ingredient& one : soup.ingredients)
    answer("{}: {} {:.4f} alone, {:.4f} in the average: {}\n", shown_path(one.path), name,
           one.alone, one.with, one.kept ? "kept" : "left out");
  const auto kept = std::count_if(soup.ingredients.begin(), soup.ingredients.end(),
                                  [](const auto& one) { return one.kept; });
  answer("{}: the mean of {}, {} {:.4f}\n", shown_path(arguments.out), counted(kept, "checkpoint"),
         name, soup.score);
}

void write_average(Checkpoint average, const std::filesystem::path& out) {
  add_golden_samples(average, *load_model(average));
  save_checkpoint(out, average);
}

void run_greedy(const AverageArguments& arguments) {
  const RuntimeScope runtime = enter_runtime(arguments.threads);
  const auto paths = checkpoints_of(arguments);
  const HeldOutScore score = held_out_score(arguments.data, load_checkpoint(paths.front()));
  ProgressLine progress = ProgressLine::counting("models measured", 2 * std::ssize(paths) - 1);
  Soup soup = greedy_soup(paths, [&](const Checkpoint& model) {
    const double found = score.of(model);
    progress.add(1);
    return found;
  });
  progress.end();
  write_average(std::move(soup.average), arguments.out);
  arguments.format == OutputFormat::json ? answer("{}\n", to_json(arguments, soup, score.name))
                                         : print(arguments, soup, score.name);
}

void run_average(const AverageArguments& arguments, const OptionBinding& binding) {
  if (arguments.out.empty()) throw ConfigError("--out: expected the model file to write, got none");
  if (std::ranges::none_of(arguments.inputs, is_run))
    binding.refuse_without("the folder of a run", {"last"});
  if (arguments.greedy) return run_greedy(arguments);
  binding.refuse_without("--greedy", {"src", "tgt", "tokenize", "labeled", "text", "threads"});
  const auto paths = checkpoints_of(arguments);
  {
    const ProgressLine progress =
        ProgressLine::timing("averaging " + counted(paths.size(), "checkpoint"));
    average_models(paths, arguments.out);
  }
  if (arguments.format == OutputFormat::text)
    return answer("{}: the mean of {}\n", shown_path(arguments.out),
                  counted(paths.size(), "checkpoint"));
  nlohmann::ordered_json json{{"model", arguments.out},
                              {"checkpoints", nlohmann::ordered_json::array()}};
  for (const std::filesystem::path& path : paths) json["checkpoints"].push_back(path.string());
  answer("{}\n", json_text(json));
}

}  // namespace

void add_average_command(CLI::App& app) {
  CLI::App& command = add_command(app, "average", "Average several checkpoints into one model");
  const auto arguments = std::make_shared<AverageArguments>();
  add_argument(command, arguments->inputs,
               {"checkpoints", "FILE|RUN", "checkpoint files, or the folder of a run"});
  OptionBinding binding(command);
  binding.add(*arguments);
  on_command(command, [binding, arguments] { run_average(*arguments, binding); });
}

}  // namespace attend
