#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <span>
#include <utility>
#include <vector>

#include "attend/cli/binding/options_binding.h"
#include "attend/cli/commands/evaluate/evaluation.h"
#include "attend/cli/output.h"
#include "attend/cli/progress_line.h"
#include "attend/cli/text_input.h"
#include "attend/error.h"
#include "attend/metrics.h"
#include "attend/tasks/tagging/engine.h"

namespace attend {
namespace {

nlohmann::ordered_json to_json(const EntityCounts& entities) {
  nlohmann::ordered_json json{{"words", entities.tokens()},
                              {"accuracy", entities.token_accuracy()},
                              {"micro", to_json(entities.micro())},
                              {"macro", to_json(entities.macro())},
                              {"entities", nlohmann::ordered_json::array()}};
  for (const NamedScores& type : entities.types()) {
    nlohmann::ordered_json row{{"type", type.name}};
    row.update(to_json(type.scores));
    json["entities"].push_back(row);
  }
  return json;
}

std::vector<Tagging> tagged(const TaggingEngine& tagger,
                            std::span<const std::vector<std::string>> texts) {
  const auto window = static_cast<std::size_t>(TaggingOptions{}.window);
  ProgressLine progress = ProgressLine::counting("texts", std::ssize(texts));
  std::vector<Tagging> found;
  while (!texts.empty()) {
    const auto next = texts.first(std::min(window, texts.size()));
    texts = texts.subspan(next.size());
    for (Tagging& one : tagger.tag_words(next)) found.push_back(std::move(one));
    progress.add(std::ssize(next));
  }
  return found;
}

template <class Counts>
void print(const Counts& counts, const Reliability& reliability, OutputFormat format) {
  const bool has_reliability = reliability.total() > 0;
  if (format == OutputFormat::text)
    return answer("{}{}", counts.table(), has_reliability ? "\n" + reliability.table() : "");
  nlohmann::ordered_json json = to_json(counts);
  if (has_reliability) json["reliability"] = to_json(reliability);
  answer("{}\n", json_text(json, 1));
}

}  // namespace

void evaluate_tagger(const TaggingModel& model, const ClassifierEvaluation& options,
                     const EvaluationOutput& output, const OptionBinding& binding) {
  binding.refuse_beside("a model that tags words",
                        {"errors", "threshold", "second-column", "label-separator"});
  if (options.labeled.empty())
    throw ConfigError(
        "--labeled: expected a file of tagged texts to measure the model on, got none");
  const TaggedText texts = read_tagged(options.labeled, options.columns, model.labels);
  TextInput input(model);
  for (const std::vector<std::string>& words : texts.words)
    input.look_at(fmt::format("{}", fmt::join(words, " ")));
  const std::vector<Tagging> found = tagged(TaggingEngine(model), texts.words);
  ConfusionMatrix words(model.labels);
  EntityCounts entities;
  Reliability reliability;
  for (std::size_t i = 0; i < found.size(); ++i) {
    std::vector<std::string> gold, predicted;
    for (std::size_t w = 0; w < found[i].tags.size(); ++w) {
      const auto label = static_cast<std::size_t>(texts.labels[i][w]);
      words.add(texts.labels[i][w], static_cast<std::int64_t>(found[i].tags[w]));
      if (options.reliability)
        reliability.add(std::min(found[i].probabilities[w], 1.0f), label == found[i].tags[w]);
      gold.push_back(model.labels[label]);
      predicted.push_back(model.labels[found[i].tags[w]]);
    }
    entities.add(gold, predicted);
  }
  if (are_entity_tags(model.labels)) {
    print(entities, reliability, output.format);
  } else {
    print(words, reliability, output.format);
  }
  input.tell_warning();
}

}  // namespace attend
