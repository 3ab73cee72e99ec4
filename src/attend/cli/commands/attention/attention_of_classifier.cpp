#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "attend/cli/commands/attention/attention.h"
#include "attend/cli/output.h"
#include "attend/cli/progress_line.h"
#include "attend/core/strings/quote.h"
#include "attend/core/terminal.h"
#include "attend/error.h"
#include "attend/inspect/attention_page.h"
#include "attend/inspect/explorer_json.h"
#include "attend/tasks/explanation/attention_maps.h"

namespace attend {
namespace {

constexpr std::size_t kListedWords = 10;
constexpr float kStrongChange = 0.1f, kWeakChange = 0.01f;  // of a probability

std::string all_of(const std::string& text) { return printable(text, std::string::npos); }

float change_of(const WordEffect& effect, const ClassifiedText& text) {
  return *effect.probability_without - text.classes.probability();
}

// A word whose absence lowers the probability is blue, one whose absence raises it yellow; what
// changes little is left alone.
std::string colored(const WordEffect& effect, const ClassifiedText& text) {
  const std::string word = all_of(effect.word);
  const float change = effect.probability_without ? change_of(effect, text) : 0.0f;
  if (std::abs(change) < kWeakChange) return word;
  return fmt::format("\x1b[{}{}m{}\x1b[0m", std::abs(change) < kStrongChange ? "" : "1;",
                     change < 0 ? 34 : 33, word);
}

std::string words_in_color(const ClassifiedText& text) {
  const bool color = can_show_color(STDOUT_FILENO);
  std::vector<std::string> words;
  for (const WordEffect& effect : text.effects)
    words.push_back(color ? colored(effect, text) : all_of(effect.word));
  return fmt::format("{}", fmt::join(words, " "));
}

// Words that change most come first.
std::vector<WordEffect> by_change(const ClassifiedText& text) {
  std::vector<WordEffect> order;
  for (const WordEffect& effect : text.effects)
    if (effect.probability_without) order.push_back(effect);
  std::stable_sort(order.begin(), order.end(), [&](const WordEffect& a, const WordEffect& b) {
    return std::abs(change_of(a, text)) > std::abs(change_of(b, text));
  });
  return order;
}

void print_explanation(const ClassifiedText& text, const std::vector<std::string>& labels) {
  answer("\n{}\n\n", words_in_color(text));
  std::vector<WordEffect> listed = by_change(text);
  if (listed.empty()) return answer("The text has one word: nothing would be left without it.\n\n");
  if (listed.size() > kListedWords) listed.resize(kListedWords);
  answer("probability of {} without a word, and how it changes\n",
         printable(labels[text.classes.label]));
  for (const WordEffect& effect : listed)
    answer("  {:.4f}  {:+.4f}  {}\n", *effect.probability_without, change_of(effect, text),
           all_of(effect.word));
  answer("\n");
}

void print_answer(const ClassifiedText& text, const std::vector<std::string>& labels,
                  const AttentionEntropy& entropy) {
  const auto cell = [&](std::size_t i) {
    return fmt::format("{} {:.4f}", all_of(labels[i]), text.classes.probabilities[i]);
  };
  std::vector<std::string> cells{cell(text.classes.label)};
  for (std::size_t i = 0; i < labels.size(); ++i)
    if (i != text.classes.label) cells.push_back(cell(i));
  answer("{}\n", fmt::join(cells, ", "));
  if (!text.effects.empty()) print_explanation(text, labels);
  answer("{}\n", entropy.summary());
}

nlohmann::ordered_json to_json(const ClassifiedText& text, const std::vector<std::string>& labels,
                               const AttentionEntropy& entropy) {
  nlohmann::ordered_json json{{"label", labels[text.classes.label]},
                              {"probability", json_number(text.classes.probability())},
                              {"probabilities", nlohmann::ordered_json::object()}};
  for (std::size_t i = 0; i < labels.size(); ++i)
    json["probabilities"][labels[i]] = json_number(text.classes.probabilities[i]);
  for (const WordEffect& effect : text.effects)
    json["words"].push_back(to_json(effect, text.classes.probability()));
  json["attention"] = to_json(entropy);
  return json;
}

}  // namespace

void show_classification(const ClassificationModel& model, const AttentionArguments& arguments,
                         AtomicFile& page) {
  if (!arguments.target.empty())
    throw ConfigError(
        "--target: expected a model for translation, a classifier has no translations");
  const ClassificationEngine classifier(model);
  ProgressLine progress = ProgressLine::timing("classifying");
  const ClassifiedText text = arguments.why ? explained_text(classifier, arguments.text)
                                            : classified_text(classifier, arguments.text);
  progress.end();
  const AttentionEntropy entropy = attention_entropy(attention_maps(classifier.model(), text.ids));
  const std::vector<HeadEffect> effects = head_effects(arguments, {text.ids}, text.classes.label);
  page.write(attention_page(classifier.model(), text, effects));
  page.commit();
  if (arguments.format == OutputFormat::json) {
    nlohmann::ordered_json json = to_json(text, classifier.labels(), entropy);
    if (!effects.empty()) json["heads"] = to_json(effects);
    json["page"] = arguments.out;
    return answer("{}\n", json_text(json, 1));
  }
  print_answer(text, classifier.labels(), entropy);
  print(effects);
  answer("page: {}\n", shown_path(arguments.out));
}

}  // namespace attend
