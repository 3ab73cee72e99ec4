#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <nlohmann/json.hpp>
#include <numeric>

#include "attend/cli/binding/command.h"
#include "attend/cli/binding/options_binding.h"
#include "attend/cli/binding/thread_options.h"
#include "attend/cli/commands/commands.h"
#include "attend/cli/output.h"
#include "attend/cli/output_format.h"
#include "attend/cli/progress_line.h"
#include "attend/cli/standard_input.h"
#include "attend/cli/text_input.h"
#include "attend/cli/unanswered_lines.h"
#include "attend/core/quote.h"
#include "attend/tasks/classification/engine.h"

namespace attend {
namespace {

struct ClassifyArguments {
  std::string model;
  OutputFormat format = OutputFormat::text;
  UnansweredLineOptions lines;
  TextInputOptions text;
  ThreadOptions threads;
  ClassificationOptions classification;
};

template <class Visitor>
void fields(ClassifyArguments& a, Visitor&& visit) {
  visit("format", a.format,
        "text: label TAB probability, the most probable label first; json: one object per line");
  fields(a.lines, visit);
  fields(a.text, visit);
  fields(a.threads, visit);
  fields(a.classification, visit);
}

// Numbers with the digits of a float, not of a double.
std::string to_json(const Classification& c, const std::vector<std::string>& labels) {
  std::string probabilities;
  for (std::size_t i = 0; i < labels.size(); ++i)
    probabilities += fmt::format("{}{}:{}", i == 0 ? "" : ",", json_text(nlohmann::json(labels[i])),
                                 c.probabilities[i]);
  return fmt::format("{{\"label\":{},\"probability\":{},\"probabilities\":{{{}}}}}",
                     json_text(nlohmann::json(labels[c.label])), c.probability(), probabilities);
}

// Label, tab, probability, tab, label, ...: most probable first; ties in class order, as in
// `label`.
std::string to_text(const Classification& c, const std::vector<std::string>& labels) {
  std::vector<std::size_t> order(labels.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return c.probabilities[a] > c.probabilities[b];
  });
  std::vector<std::string> cells;
  for (const std::size_t i : order)
    cells.push_back(
        fmt::format("{}\t{:.4f}", printable(labels[i], std::string::npos), c.probabilities[i]));
  return fmt::format("{}", fmt::join(cells, "\t"));
}

void run_classify(const ClassifyArguments& arguments) {
  const RuntimeScope runtime = enter_runtime(arguments.threads);
  const ClassificationEngine classifier = ClassificationEngine::load(arguments.model);
  LineReader lines = standard_input();
  const bool json = arguments.format == OutputFormat::json;
  const auto print = [&](const Classification& c) {
    answer("{}\n", json ? to_json(c, classifier.labels()) : to_text(c, classifier.labels()));
  };
  const auto leave_empty = [&](const LineError& error) {
    answer("{}\n", json ? json_text(error) : "");
  };
  TextInput input(classifier.model(), arguments.text);
  input.watch(lines);
  UnansweredLines unanswered(arguments.lines);
  ProgressLine progress = ProgressLine::over_lines("-", /*answering=*/true);
  classifier.classify(lines, progress.counted(unanswered.sink<Classification>(print, leave_empty)),
                      arguments.classification);
  progress.end();
  input.tell_warning();
  unanswered.tell_count();
}

}  // namespace

void add_classify_command(CLI::App& app) {
  CLI::App& command = add_command(
      app, "classify", "Classify standard input, line by line: labels and their probabilities");
  const auto arguments = std::make_shared<ClassifyArguments>();
  add_argument(command, arguments->model, {"model", "MODEL", "model file, or the folder of a run"});
  OptionBinding(command).add(*arguments);
  on_command(command, [arguments] { run_classify(*arguments); });
}

}  // namespace attend
