#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <nlohmann/json.hpp>
#include <numeric>

#include "attend/cli/binding/command.h"
#include "attend/cli/binding/model_path.h"
#include "attend/cli/binding/options_binding.h"
#include "attend/cli/binding/thread_options.h"
#include "attend/cli/commands/commands.h"
#include "attend/cli/output.h"
#include "attend/cli/output_format.h"
#include "attend/cli/progress_line.h"
#include "attend/cli/standard_input.h"
#include "attend/cli/text_input.h"
#include "attend/cli/unanswered_lines.h"
#include "attend/core/strings/character_index.h"
#include "attend/core/strings/quote.h"
#include "attend/tasks/classification/engine.h"
#include "attend/tasks/loaded_model.h"
#include "attend/tasks/tagging/engine.h"

namespace attend {
namespace {

struct ClassifyArguments {
  std::string model;
  OutputFormat format = OutputFormat::text;
  UnansweredLineOptions lines;
  ThreadOptions threads;
  ClassificationOptions classification;
  TaggingOptions tagging;
};

template <class Visitor>
void fields(ClassifyArguments& a, Visitor&& visit) {
  visit("format", a.format,
        "text: label TAB probability, the most probable label first; or a number; or word TAB tag; "
        "json: one object per line");
  fields(a.lines, visit);
  fields(a.threads, visit);
  fields(a.classification, visit);
  tagging_fields(a.tagging, visit);
}

// Numbers with the digits of a float, not of a double.
std::string to_json(const Classification& c, const ClassificationModel& model) {
  if (model.problem_type() == ProblemType::regression)
    return fmt::format("{{\"value\":{}}}", c.value);
  const auto name = [&](std::size_t label) {
    return json_text(nlohmann::json(model.labels[label]));
  };
  std::string probabilities, given;
  for (std::size_t i = 0; i < model.labels.size(); ++i)
    probabilities += fmt::format("{}{}:{}", i == 0 ? "" : ",", name(i), c.probabilities[i]);
  if (model.problem_type() == ProblemType::single_label)
    return fmt::format("{{\"label\":{},\"probability\":{},\"probabilities\":{{{}}}}}",
                       name(c.label), c.probability(), probabilities);
  for (const std::size_t label : c.labels) given += (given.empty() ? "" : ",") + name(label);
  return fmt::format("{{\"labels\":[{}],\"probabilities\":{{{}}}}}", given, probabilities);
}

// Label, tab, probability, tab, label, ...: most probable first; ties in class order, as in
// `label`. Of several labels those that are given, of a regression the number.
std::string to_text(const Classification& c, const ClassificationModel& model) {
  if (model.problem_type() == ProblemType::regression) return fmt::format("{}", c.value);
  std::vector<std::size_t> order = c.labels;
  if (model.problem_type() == ProblemType::single_label) {
    order.resize(model.labels.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
  }
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return c.probabilities[a] > c.probabilities[b];
  });
  std::vector<std::string> cells;
  for (const std::size_t i : order)
    cells.push_back(fmt::format("{}\t{:.4f}", printable(model.labels[i], std::string::npos),
                                c.probabilities[i]));
  return fmt::format("{}", fmt::join(cells, "\t"));
}

// Word, tab, tag, tab, word, ...
std::string to_text(const Tagging& tagging, const TaggingModel& model) {
  std::vector<std::string> cells;
  for (std::size_t w = 0; w < tagging.words.size(); ++w)
    cells.push_back(fmt::format("{}\t{}", printable(tagging.words[w], std::string::npos),
                                printable(model.labels[tagging.tags[w]], std::string::npos)));
  return fmt::format("{}", fmt::join(cells, "\t"));
}

// Places in the text are counted in characters.
std::string to_json(const Tagging& tagging, const TaggingModel& model) {
  nlohmann::ordered_json words = nlohmann::ordered_json::array(), tags = words, places = words;
  CharacterIndex characters(tagging.text);
  for (std::size_t w = 0; w < tagging.words.size(); ++w) {
    words.push_back(tagging.words[w]);
    tags.push_back(model.labels[tagging.tags[w]]);
    places.push_back({characters.of(tagging.spans[w].begin), characters.of(tagging.spans[w].end)});
  }
  const std::string text = fmt::format(
      "{{\"words\":{},\"tags\":{},\"probabilities\":[{}],\"offsets\":{}", json_text(words),
      json_text(tags), fmt::join(tagging.probabilities, ","), json_text(places));
  if (model.units != TaggedUnits::tokens && !are_entity_tags(model.labels)) return text + "}";
  std::vector<std::string> entities;
  for (const TagGroup& group : tagging.groups) {
    const std::string type = json_text(nlohmann::json(group.label));
    entities.push_back(fmt::format(
        "{{\"type\":{},\"begin\":{},\"end\":{},\"text\":{},\"score\":{},\"start_char\":{},"
        "\"end_char\":{}}}",
        type, group.begin, group.end, json_text(nlohmann::json(group.text)), group.score,
        characters.of(group.span.begin), characters.of(group.span.end)));
  }
  return text + fmt::format(",\"entities\":[{}]}}", fmt::join(entities, ","));
}

// Answers standard input. `answer_lines`: (lines, sink) -> answers all lines.
template <class Answer, class Model, class AnswerLines>
void answer_input(const ClassifyArguments& arguments, const Model& model,
                  const AnswerLines& answer_lines) {
  LineReader lines = standard_input();
  const bool json = arguments.format == OutputFormat::json;
  const auto print = [&](const Answer& one) {
    answer("{}\n", json ? to_json(one, model) : to_text(one, model));
  };
  const auto leave_empty = [&](const LineError& error) {
    answer("{}\n", json ? json_text(error) : "");
  };
  TextInput input(model, arguments.classification.preparation);
  input.watch(lines);
  UnansweredLines unanswered(arguments.lines);
  ProgressLine progress = ProgressLine::over_lines("-", /*answering=*/true);
  answer_lines(lines, progress.counted(unanswered.sink<Answer>(print, leave_empty)));
  progress.end();
  input.tell_warning();
  unanswered.tell_count();
}

void run_classify(const ClassifyArguments& arguments, const OptionBinding& binding) {
  const RuntimeScope runtime = enter_runtime(arguments.threads);
  const ClassificationOptions& options = arguments.classification;
  const std::shared_ptr<const SavedModel> model =
      LoadedModel::load(model_path(arguments.model))->model();
  if (const auto* const tags = dynamic_cast<const TaggingModel*>(model.get())) {
    binding.refuse_beside("a model that tags words", {"threshold", "pairs", "function-to-apply"});
    const TaggingEngine tagger(*tags);
    TaggingOptions tagging = arguments.tagging;
    tagging.batch_tokens = options.batch_tokens;
    tagging.window = options.window;
    tagging.split_special_tokens = options.split_special_tokens;
    tagging.preparation = options.preparation;
    return answer_input<Tagging>(arguments, tagger.model(),
                                 [&](LineReader& lines, const AnswerSink<Tagging>& sink) {
                                   tagger.tag(lines, sink, tagging);
                                 });
  }
  binding.refuse_beside("a model that classifies texts",
                        {"aggregation-strategy", "ignore-labels", "stride"});
  const ClassificationEngine classifier(model_as<ClassificationModel>(*model));
  if (classifier.model().problem_type() != ProblemType::multi_label)
    binding.refuse_beside("a model that gives a single answer", {"threshold"});
  answer_input<Classification>(arguments, classifier.model(),
                               [&](LineReader& lines, const AnswerSink<Classification>& sink) {
                                 classifier.classify(lines, sink, options);
                               });
}

}  // namespace

void add_classify_command(CLI::App& app) {
  CLI::App& command = add_command(app, "classify",
                                  "Classify standard input, line by line: print labels with "
                                  "probabilities, a number, or a tag per word");
  const auto arguments = std::make_shared<ClassifyArguments>();
  add_argument(command, arguments->model, {"model", "MODEL", kModelHelp});
  OptionBinding binding(command);
  binding.add(*arguments);
  on_command(command, [arguments, binding] { run_classify(*arguments, binding); });
}

}  // namespace attend
