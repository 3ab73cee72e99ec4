#include <fmt/format.h>

#include <memory>
#include <nlohmann/json.hpp>

#include "attend/cli/binding/command.h"
#include "attend/cli/binding/options_binding.h"
#include "attend/cli/binding/thread_options.h"
#include "attend/cli/commands/commands.h"
#include "attend/cli/output.h"
#include "attend/cli/output_format.h"
#include "attend/cli/progress_line.h"
#include "attend/core/strings/counted.h"
#include "attend/core/threads/parallel.h"
#include "attend/error.h"
#include "attend/lab/experiment.h"
#include "attend/lab/report.h"
#include "attend/lab/stopwatch.h"

namespace attend {
namespace {

struct LabArguments {
  std::vector<std::string> names;
  std::string out;
  bool all = false;
  ThreadOptions threads;
  lab::LabOptions options;
  OutputFormat format = OutputFormat::text;
};

template <class Visitor>
void fields(LabArguments& a, Visitor&& visit) {
  visit("all", a.all, "run every experiment");
  visit("out", a.out,
        "folder for the plots (SVG); FOLDER.md gets the results and keeps those of experiments "
        "that are not run again");
  fields(a.options, visit);
  visit("format", a.format, "text for people, json for programs: an object per experiment");
  fields(a.threads, visit);
}

void list_experiments(OutputFormat format) {
  if (format == OutputFormat::json) {
    for (const lab::Experiment& experiment : lab::experiments())
      answer("{}\n", json_text(nlohmann::ordered_json{{"experiment", experiment.name},
                                                      {"claim", experiment.claim}}));
    return;
  }
  for (const lab::Experiment& experiment : lab::experiments())
    answer("{}\n  {}\n", experiment.name, experiment.claim);
  answer("\nattend lab NAME runs one of them, attend lab --all every one.\n");
}

std::vector<const lab::Experiment*> chosen(const LabArguments& arguments) {
  std::vector<const lab::Experiment*> list;
  for (const std::string& name : arguments.names) list.push_back(&lab::find_experiment(name));
  if (!arguments.all) return list;
  if (!list.empty()) throw ConfigError("--all: expected no names of experiments with it");
  for (const lab::Experiment& experiment : lab::experiments()) list.push_back(&experiment);
  return list;
}

// The command that reproduces this result.
std::string command_for(const lab::Experiment& experiment, const LabArguments& arguments,
                        int threads) {
  std::string command = fmt::format("attend lab {} --seed {} --threads {}", experiment.name,
                                    arguments.options.seed, threads);
  if (arguments.options.quick) command += " --quick";
  if (experiment.reads_data && !arguments.options.data.empty()) command += " --data DATA";
  return command;
}

std::string to_json(const lab::Experiment& experiment, const lab::LabResult& result,
                    const lab::RunDescription& run) {
  return json_text(nlohmann::ordered_json{{"experiment", experiment.name},
                                          {"claim", experiment.claim},
                                          {"verdict", std::string(lab::name_of(result.verdict))},
                                          {"finding", result.finding},
                                          {"measured", result.measured},
                                          {"columns", result.table.columns},
                                          {"rows", result.table.rows},
                                          {"command", run.command},
                                          {"threads", run.threads},
                                          {"seconds", run.seconds}});
}

// Shows each part of an experiment as it begins: at a terminal on one line with its elapsed time,
// otherwise on a line of its own.
class LabProgress {
 public:
  void begin(std::string_view part) {
    end();
    if (shown_.shown)
      line_ = std::make_unique<ProgressLine>("  " + std::string(part), "", shown_);
    else
      tell("  {} ...\n", part);
  }
  void end() { line_.reset(); }

 private:
  ProgressLineOptions shown_ = progress_on_standard_error(/*answering=*/false);
  std::unique_ptr<ProgressLine> line_;
};

void run_lab(const LabArguments& arguments) {
  const auto list = chosen(arguments);
  if (list.empty()) return list_experiments(arguments.format);
  lab::RunDescription run;
  const RuntimeScope runtime = enter_runtime(arguments.threads);
  run.threads = threads();
  run.machine = lab::machine_name();
  if (!arguments.out.empty()) lab::require_writable(arguments.out);
  LabProgress progress;
  const lab::Lab with{arguments.options, [&](std::string_view part) { progress.begin(part); }};
  for (const lab::Experiment* experiment : list) {
    tell("{}:\n", experiment->name);
    const lab::Stopwatch watch;
    const lab::LabResult result = lab::run_experiment(*experiment, with);
    progress.end();
    run.seconds = watch.seconds();
    run.command = command_for(*experiment, arguments, run.threads);
    const char* plots = arguments.out.empty() ? "; --out FOLDER writes its plots" : "";
    if (arguments.format == OutputFormat::json)
      answer("{}\n", to_json(*experiment, result, run));
    else
      answer("{}({:.0f} s, {}{})\n\n", lab::to_text(*experiment, result), run.seconds,
             counted(run.threads, "thread"), plots);
    flush_answers();
    if (!arguments.out.empty()) lab::write_result(arguments.out, *experiment, result, run);
  }
}

}  // namespace

void add_lab_command(CLI::App& app) {
  CLI::App& command = add_command(
      app, "lab",
      "Test claims about the Transformer by small experiments; without a name, list them");
  const auto arguments = std::make_shared<LabArguments>();
  add_argument(command, arguments->names,
               {"name", "NAME", "experiments to run", /*required=*/false});
  OptionBinding(command, /*with_config_file=*/false).add(*arguments);
  on_command(command, [arguments] { run_lab(*arguments); });
}

}  // namespace attend
