#include "attend/decode/logit_change.h"

#include <algorithm>
#include <limits>

#include "attend/backend/backend.h"
#include "attend/decode/scorers/padded_columns.h"
#include "attend/decode/scorers/scorer.h"

namespace attend {

namespace {

using TokensOfChange = std::vector<std::int32_t> LogitChange::*;

// The columns of these tokens, padded.
std::vector<std::int32_t> columns_of(std::span<const LogitChange> changes, TokensOfChange tokens,
                                     std::int64_t begin, const Scorer& scorer) {
  std::vector<std::vector<std::int32_t>> columns;
  for (const LogitChange& change : changes) {
    std::vector<std::int32_t>& own = columns.emplace_back();
    for (const std::int32_t token : change.*tokens) own.push_back(scorer.column(begin, token));
    ++begin;
  }
  return padded_columns(columns, widest(columns));
}

bool names_any(const std::vector<std::int32_t>& columns) {
  return std::any_of(columns.begin(), columns.end(),
                     [](std::int32_t column) { return column >= 0; });
}

}  // namespace

// The penalty comes before the ban, which it must not undo. Hypotheses with the same penalty are
// adjacent.
bool change_logits(std::span<const LogitChange> changes, std::int64_t begin, const Scorer& scorer,
                   const Tensor& logits) {
  const std::size_t rows = changes.size();
  bool changed = false;
  for (std::size_t first = 0, end = 0; first < rows; first = end) {
    const float penalty = changes[first].penalty;
    while (end < rows && changes[end].penalty == penalty) ++end;
    if (penalty == 1.0f) continue;
    const auto row = static_cast<std::int64_t>(first);
    const auto columns = columns_of(changes.subspan(first, end - first), &LogitChange::penalized,
                                    begin + row, scorer);
    if (!names_any(columns)) continue;
    backend()->penalize_columns(logits.slice_rows(row, static_cast<std::int64_t>(end)), columns,
                                penalty);
    changed = true;
  }
  const auto banned = columns_of(changes, &LogitChange::banned, begin, scorer);
  if (!names_any(banned)) return changed;
  backend()->fill_columns(logits, banned, -std::numeric_limits<float>::infinity());
  return true;
}

}  // namespace attend
