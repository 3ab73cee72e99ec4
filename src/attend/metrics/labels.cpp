#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "attend/core/strings/quote.h"
#include "attend/core/strings/utf8.h"
#include "attend/error.h"
#include "attend/metrics.h"

namespace attend {
namespace {

double ratio_of(std::int64_t part, std::int64_t whole) {
  return whole == 0 ? 0 : static_cast<double>(part) / static_cast<double>(whole);
}

}  // namespace

ClassScores HitCounts::scores() const {
  return {ratio_of(hits, predicted), ratio_of(hits, gold), ratio_of(2 * hits, predicted + gold),
          gold};
}

std::string score_table(std::string_view title, std::span<const NamedScores> rows) {
  std::size_t width = count_code_points(title);
  std::vector<std::string> names;
  for (const NamedScores& row : rows) names.push_back(printable(row.name));
  for (const std::string& name : names) width = std::max(width, count_code_points(name));
  const auto aligned = [width](std::string_view text) {
    return std::string(width - count_code_points(text), ' ') + std::string(text);
  };
  std::string out = fmt::format("{}  precision  recall      F1   support\n", aligned(title));
  for (std::size_t i = 0; i < rows.size(); ++i)
    out += fmt::format("{}  {:9.4f}  {:6.4f}  {:6.4f}  {:8}\n", aligned(names[i]),
                       rows[i].scores.precision, rows[i].scores.recall, rows[i].scores.f1,
                       rows[i].scores.support);
  return out;
}

ClassScores mean_scores(std::span<const NamedScores> rows) {
  ClassScores mean;
  for (const NamedScores& row : rows) {
    mean.precision += row.scores.precision;
    mean.recall += row.scores.recall;
    mean.f1 += row.scores.f1;
    mean.support += row.scores.support;
  }
  if (rows.empty()) return mean;
  const auto count = static_cast<double>(rows.size());
  mean.precision /= count;
  mean.recall /= count;
  mean.f1 /= count;
  return mean;
}

LabelCounts::LabelCounts(std::vector<std::string> labels)
    : names_(std::move(labels)), counts_(names_.size()) {
  if (names_.empty()) throw ConfigError("expected at least one label, got none");
}

void LabelCounts::add(const std::vector<bool>& gold, const std::vector<bool>& predicted) {
  for (const std::size_t size : {gold.size(), predicted.size()}) {
    if (size != names_.size())
      throw ConfigError(
          fmt::format("expected a value for each of {} labels, got {}", names_.size(), size));
  }
  ++total_;
  exact_ += gold == predicted;
  for (std::size_t i = 0; i < gold.size(); ++i) {
    counts_[i].gold += gold[i];
    counts_[i].predicted += predicted[i];
    counts_[i].hits += gold[i] && predicted[i];
  }
}

std::vector<NamedScores> LabelCounts::labels() const {
  std::vector<NamedScores> rows;
  for (std::size_t i = 0; i < names_.size(); ++i) rows.push_back({names_[i], counts_[i].scores()});
  return rows;
}

ClassScores LabelCounts::micro() const {
  return std::accumulate(counts_.begin(), counts_.end(), HitCounts{}).scores();
}

ClassScores LabelCounts::macro() const { return mean_scores(labels()); }

double LabelCounts::exact_share() const { return ratio_of(exact_, total_); }

std::string LabelCounts::table() const {
  std::vector<NamedScores> rows = labels();
  rows.push_back({"micro", micro()});
  rows.push_back({"macro", macro()});
  return fmt::format("{}all labels of a text right: {:.4f} of {} texts\n",
                     score_table("label", rows), exact_share(), total_);
}

}  // namespace attend
