#include "attend/decode/output_rules.h"

#include <cmath>
#include <limits>

#include "attend/backend/backend.h"

namespace attend {

namespace {

using TokensOfChange = std::vector<std::int32_t> LogitChange::*;

// The columns of these tokens, equally many for each hypothesis, padded with -1.
std::vector<std::int32_t> columns_of(std::span<const LogitChange> changes, TokensOfChange tokens,
                                     std::int64_t begin, const Scorer& scorer) {
  std::size_t most = 0;
  for (const LogitChange& change : changes) most = std::max(most, (change.*tokens).size());
  std::vector<std::int32_t> columns;
  for (std::size_t i = 0; i < changes.size(); ++i) {
    for (const std::int32_t token : changes[i].*tokens)
      columns.push_back(scorer.column(begin + static_cast<std::int64_t>(i), token));
    columns.resize((i + 1) * most, -1);
  }
  return columns;
}

}  // namespace

std::int32_t PrefixBias::next(std::span<const std::int32_t> written) const {
  const bool follows =
      written.size() < tokens.size() && std::equal(written.begin(), written.end(), tokens.begin());
  return follows ? tokens[written.size()] : -1;
}

float PrefixBias::biased_log_probability(float log_probability, bool is_next) const {
  if (!is_next) return log_probability + std::log1p(-weight);
  return std::log(weight + (1 - weight) * std::exp(log_probability));
}

std::vector<std::int32_t> repeating_tokens(std::span<const std::int32_t> written, int n) {
  const auto known = static_cast<std::size_t>(n) - 1;
  std::vector<std::int32_t> tokens;
  if (n == 0 || written.size() < known) return tokens;
  const auto last = written.last(known);
  for (std::size_t i = 0; i + known < written.size(); ++i)
    if (std::equal(last.begin(), last.end(), written.begin() + static_cast<std::ptrdiff_t>(i)))
      tokens.push_back(written[i + known]);
  return tokens;
}

std::vector<std::int32_t> distinct(std::vector<std::int32_t> tokens) {
  std::sort(tokens.begin(), tokens.end());
  tokens.erase(std::unique(tokens.begin(), tokens.end()), tokens.end());
  return tokens;
}

// The penalty comes before the ban, which it must not undo; hypotheses with the same penalty are
// adjacent.
bool change_logits(std::span<const LogitChange> changes, std::int64_t begin, const Scorer& scorer,
                   const Tensor& logits) {
  const std::size_t rows = changes.size();
  for (std::size_t first = 0, end = 0; first < rows; first = end) {
    const float penalty = changes[first].penalty;
    while (end < rows && changes[end].penalty == penalty) ++end;
    const auto own = changes.subspan(first, end - first);
    const auto row = static_cast<std::int64_t>(first);
    const auto columns = columns_of(own, &LogitChange::penalized, begin + row, scorer);
    if (penalty != 1.0f && !columns.empty())
      backend().penalize_columns(logits.slice_rows(row, static_cast<std::int64_t>(end)), columns,
                                 penalty);
  }
  const auto banned = columns_of(changes, &LogitChange::banned, begin, scorer);
  if (!banned.empty())
    backend().fill_columns(logits, banned, -std::numeric_limits<float>::infinity());
  return std::any_of(changes.begin(), changes.end(),
                     [](const LogitChange& change) { return change.changes(); });
}

}  // namespace attend
