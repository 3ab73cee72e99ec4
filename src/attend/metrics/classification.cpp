#include "attend/metrics.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "attend/core/strings/quote.h"
#include "attend/core/strings/utf8.h"
#include "attend/error.h"

namespace attend {
namespace {

double share(std::int64_t part, std::int64_t whole) {
  return whole == 0 ? 0 : static_cast<double>(part) / static_cast<double>(whole);
}

// `text` with spaces before it, `width` characters wide.
std::string right(std::string_view text, std::size_t width) {
  const std::size_t length = count_code_points(text);
  return std::string(width > length ? width - length : 0, ' ') + std::string(text);
}

}  // namespace

ConfusionMatrix::ConfusionMatrix(std::vector<std::string> class_names)
    : names_(std::move(class_names)), counts_(names_.size() * names_.size(), 0) {
  if (names_.empty()) throw ConfigError("a classifier needs at least one class, got none");
}

void ConfusionMatrix::add(std::int64_t gold, std::int64_t predicted, std::int64_t examples) {
  for (const std::int64_t index : {gold, predicted}) {
    if (index < 0 || index >= classes())
      throw DataError(fmt::format("expected a class in 0 .. {}, got {}", classes() - 1, index));
  }
  if (examples < 0) throw ConfigError(fmt::format("expected 0 or more examples, got {}", examples));
  counts_[static_cast<std::size_t>(gold * classes() + predicted)] += examples;
}

void ConfusionMatrix::add(std::span<const std::int64_t> gold,
                          std::span<const std::int64_t> predicted) {
  if (gold.size() != predicted.size()) {
    throw ConfigError(fmt::format("expected as many predictions as gold classes, got {} and {}",
                                  predicted.size(), gold.size()));
  }
  for (std::size_t i = 0; i < gold.size(); ++i) add(gold[i], predicted[i]);
}

std::int64_t ConfusionMatrix::count(std::int64_t gold, std::int64_t predicted) const {
  return counts_.at(static_cast<std::size_t>(gold * classes() + predicted));
}

std::int64_t ConfusionMatrix::total() const {
  return std::accumulate(counts_.begin(), counts_.end(), std::int64_t{0});
}

double ConfusionMatrix::accuracy() const {
  std::int64_t right_ones = 0;
  for (std::int64_t i = 0; i < classes(); ++i) right_ones += count(i, i);
  return share(right_ones, total());
}

ShareInterval ConfusionMatrix::accuracy_interval() const {
  const auto n = static_cast<double>(total());
  if (n == 0) return {0, 1};
  constexpr double z = 1.959963984540054;  // of the normal distribution, 2.5 % on each side
  const double p = accuracy(), center = p + z * z / (2 * n),
               half = z * std::sqrt(p * (1 - p) / n + z * z / (4 * n * n));
  const double scale = 1 + z * z / n;
  return {std::max(0.0, (center - half) / scale), std::min(1.0, (center + half) / scale)};
}

std::int64_t ConfusionMatrix::majority() const {
  std::int64_t best = 0;
  for (std::int64_t i = 1; i < classes(); ++i)
    if (of_class(i).support > of_class(best).support) best = i;
  return best;
}

double ConfusionMatrix::majority_share() const {
  return share(of_class(majority()).support, total());
}

std::string ConfusionMatrix::accuracy_text() const {
  const ShareInterval interval = accuracy_interval();
  const std::string always = printable(names_[static_cast<std::size_t>(majority())]);
  std::string text = fmt::format("{:.4f} (95 % {:.4f} .. {:.4f}; always \"{}\": {:.4f})\n",
                                 accuracy(), interval.low, interval.high, always, majority_share());
  if (accuracy() <= majority_share()) {
    text += fmt::format("The model is no better than always answering \"{}\".\n", always);
  } else if (may_be_majority()) {
    text += fmt::format(
        "The model is not clearly better than always answering \"{}\"; more texts would tell.\n",
        always);
  }
  return text;
}

ClassScores ConfusionMatrix::of_class(std::int64_t index) const {
  std::int64_t predicted = 0, gold = 0;
  for (std::int64_t i = 0; i < classes(); ++i) {
    predicted += count(i, index);
    gold += count(index, i);
  }
  const std::int64_t hits = count(index, index);
  return {share(hits, predicted), share(hits, gold), share(2 * hits, predicted + gold), gold};
}

double ConfusionMatrix::macro_f1() const {
  double sum = 0, met = 0;
  for (std::int64_t i = 0; i < classes(); ++i) {
    if (!occurs(i)) continue;
    sum += of_class(i).f1;
    met += 1;
  }
  return met > 0 ? sum / met : 0;
}

bool ConfusionMatrix::occurs(std::int64_t index) const {
  for (std::int64_t i = 0; i < classes(); ++i)
    if (count(i, index) > 0 || count(index, i) > 0) return true;
  return false;
}

double ConfusionMatrix::weighted_f1() const {
  double sum = 0;
  for (std::int64_t i = 0; i < classes(); ++i)
    sum += of_class(i).f1 * share(of_class(i).support, total());
  return sum;
}

std::string ConfusionMatrix::table() const {
  std::size_t width = std::string_view("weighted").size();
  std::vector<std::string> names;
  for (const std::string& name : names_) names.push_back(printable(name));
  for (const std::string& name : names) width = std::max(width, count_code_points(name));

  std::string out = fmt::format("{}  precision  recall      F1   support\n", right("class", width));
  for (std::int64_t i = 0; i < classes(); ++i) {
    const ClassScores scores = of_class(i);
    out += fmt::format("{}  {:9.4f}  {:6.4f}  {:6.4f}  {:8}\n",
                       right(names[static_cast<std::size_t>(i)], width), scores.precision,
                       scores.recall, scores.f1, scores.support);
  }
  out += fmt::format("{}  {:>9}  {:>6}  {:6.4f}  {:8}\n", right("macro", width), "", "", macro_f1(),
                     total());
  out += fmt::format("{}  {:>9}  {:>6}  {:6.4f}  {:8}\n", right("weighted", width), "", "",
                     weighted_f1(), total());
  out += fmt::format("{}  {}\n", right("accuracy", width), accuracy_text());

  out += right("gold \\ predicted", width);
  const std::size_t first = std::max(width, std::string_view("gold \\ predicted").size());
  const std::size_t column = std::max<std::size_t>(width, fmt::formatted_size("{}", total()));
  for (const std::string& name : names) out += "  " + right(name, column);
  for (std::int64_t gold = 0; gold < classes(); ++gold) {
    out += "\n" + right(names[static_cast<std::size_t>(gold)], first);
    for (std::int64_t predicted = 0; predicted < classes(); ++predicted)
      out += fmt::format("  {:{}}", count(gold, predicted), column);
  }
  return out + "\n";
}

}  // namespace attend
