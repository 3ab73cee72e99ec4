#include "attend/nn/attention/kv_cache.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <utility>

#include "attend/error.h"

namespace attend {

KVCache::KVCache(int layers, std::int64_t hypotheses)
    : history_(static_cast<std::size_t>(hypotheses)), pages_(static_cast<std::size_t>(layers)) {}

void KVCache::reorder(std::span<const std::int32_t> parents) {
  std::vector<std::size_t> children(history_.size());
  for (const std::int32_t parent : parents) {
    if (parent < 0 || parent >= hypotheses())
      throw ShapeError(
          fmt::format("[kv_cache] expected parents among {} hypotheses, counted from 0, got {}",
                      hypotheses(), parent));
    ++children[static_cast<std::size_t>(parent)];
  }
  std::vector<std::vector<CacheSlot>> reordered;
  reordered.reserve(parents.size());
  for (const std::int32_t parent : parents) {
    auto& positions = history_[static_cast<std::size_t>(parent)];
    const bool last = --children[static_cast<std::size_t>(parent)] == 0;
    reordered.push_back(last ? std::move(positions) : positions);
  }
  history_ = std::move(reordered);
  new_rows_.assign(history_.size(), 0);
  views_.clear();
}

void KVCache::join(std::int64_t hypotheses) {
  history_.resize(history_.size() + static_cast<std::size_t>(hypotheses));
  new_rows_.assign(history_.size(), 0);
  views_.clear();
}

void KVCache::forget(std::int64_t hypothesis) {
  if (hypothesis < 0 || hypothesis >= hypotheses())
    throw ShapeError(fmt::format("[kv_cache] expected one of {} hypotheses, counted from 0, got {}",
                                 hypotheses(), hypothesis));
  history_[static_cast<std::size_t>(hypothesis)].clear();
  new_rows_.assign(history_.size(), 0);
  views_.clear();
}

void KVCache::extend(std::span<const std::int32_t> rows_per_hypothesis) {
  if (rows_per_hypothesis.size() != history_.size())
    throw ShapeError(
        fmt::format("[kv_cache] expected a number of rows for each of {} hypotheses, got {}",
                    hypotheses(), rows_per_hypothesis.size()));
  make_room(
      std::accumulate(rows_per_hypothesis.begin(), rows_per_hypothesis.end(), std::size_t{0}));
  std::vector<CacheSlot> newest;
  std::vector<std::int32_t> positions, offsets{0};
  for (std::size_t r = 0; r < history_.size(); ++r) {
    if (rows_per_hypothesis[r] > 0) offsets.push_back(offsets.back() + rows_per_hypothesis[r]);
    for (std::int32_t i = 0; i < rows_per_hypothesis[r]; ++i) {
      positions.push_back(static_cast<std::int32_t>(history_[r].size()));
      newest.push_back(free_.back());
      history_[r].push_back(free_.back());
      free_.pop_back();
    }
  }
  new_rows_.assign(rows_per_hypothesis.begin(), rows_per_hypothesis.end());
  newest_ = slot_ids(newest);
  positions_ = std::move(positions);
  new_offsets_ = std::move(offsets);
  views_.clear();
}

void KVCache::make_room(std::size_t count) {
  if (free_.size() >= count) return;
  collect();
  // Makes room for some steps ahead, and for a share of what there is, so that this runs seldom.
  constexpr std::size_t kStepsAhead = 4, kShare = 8;
  const auto all =
      static_cast<std::size_t>(std::accumulate(page_rows_.begin(), page_rows_.end(), 0));
  const std::size_t wanted = std::max(count + kStepsAhead * history_.size(), all / kShare);
  if (free_.size() >= wanted) return;
  const auto page = static_cast<std::int32_t>(page_rows_.size()),
             rows = static_cast<std::int32_t>(wanted - free_.size());
  page_rows_.push_back(rows);
  std::vector<CacheSlot> more;
  for (std::int32_t row = rows; row-- > 0;) more.push_back({page, row});
  free_.insert(free_.begin(), more.begin(), more.end());
}

void KVCache::collect() {
  std::vector<std::vector<bool>> used;
  for (const std::int32_t rows : page_rows_)
    used.emplace_back(static_cast<std::size_t>(rows), false);
  for (const auto& positions : history_) {
    for (const CacheSlot slot : positions)
      used[static_cast<std::size_t>(slot.page)][static_cast<std::size_t>(slot.row)] = true;
  }
  free_.clear();
  for (auto page = static_cast<std::int32_t>(used.size()); page-- > 0;) {
    const std::vector<bool>& rows = used[static_cast<std::size_t>(page)];
    for (auto row = static_cast<std::int32_t>(rows.size()); row-- > 0;)
      if (!rows[static_cast<std::size_t>(row)]) free_.push_back({page, row});
  }
}

void KVCache::append(int layer, const Tensor& keys_values) {
  if (2 * keys_values.rows() != newest_.size())
    throw ShapeError(fmt::format("[kv_cache] expected a row for each of {} new positions, got {}",
                                 newest_.size() / 2, to_string(keys_values.shape())));
  auto& pages = pages_[static_cast<std::size_t>(layer)];
  while (pages.size() < page_rows_.size())
    pages.push_back(
        Tensor::empty({page_rows_[pages.size()], keys_values.cols()}, keys_values.dtype()));
  backend()->scatter_rows(keys_values, newest_, pages);
}

Tensor KVCache::last_rows(int layer, std::int64_t width) const {
  std::vector<CacheSlot> slots;
  std::vector<std::int32_t> rows;  // of `slots`, for each hypothesis; -1: it has none
  for (std::size_t r = 0; r < history_.size(); ++r) {
    if (new_rows_[r] == 0) continue;
    const std::size_t before = history_[r].size() - static_cast<std::size_t>(new_rows_[r]);
    rows.push_back(before == 0 ? -1 : static_cast<std::int32_t>(slots.size()));
    if (before > 0) slots.push_back(history_[r][before - 1]);
  }
  if (slots.empty()) return {};
  const auto found = static_cast<std::int64_t>(slots.size());
  const Tensor states = Tensor::zeros({found + 1, width});  // and a row of zeros
  const std::vector<std::int32_t> offsets{0, static_cast<std::int32_t>(found)};
  backend()->gather_keys({pages_[static_cast<std::size_t>(layer)], slot_ids(slots), offsets}, 0, 1,
                         states.slice_rows(0, found));
  if (found == std::ssize(rows)) return states.slice_rows(0, found);
  std::replace(rows.begin(), rows.end(), -1, static_cast<std::int32_t>(found));
  const Tensor all = Tensor::empty({std::ssize(rows), width});
  backend()->gather_rows(states, rows, all);
  return all;
}

KVCache::View KVCache::make_view(std::int64_t window) const {
  std::vector<std::int32_t> offsets{0};
  std::vector<std::span<const CacheSlot>> parts;  // what each new position sees
  for (std::size_t r = 0; r < new_rows_.size(); ++r) {
    const std::span<const CacheSlot> positions(history_[r]);
    for (auto behind = static_cast<std::size_t>(new_rows_[r]); behind-- > 0;) {
      const auto seen = positions.first(positions.size() - behind);
      parts.push_back(
          window > 0 ? seen.last(std::min(seen.size(), static_cast<std::size_t>(window))) : seen);
      offsets.push_back(offsets.back() + static_cast<std::int32_t>(parts.back().size()));
    }
  }
  std::vector<CacheSlot> slots;
  slots.reserve(static_cast<std::size_t>(offsets.back()));
  for (const auto part : parts) slots.insert(slots.end(), part.begin(), part.end());
  return {slot_ids(slots), std::move(offsets)};
}

KeyRows KVCache::view(int layer, std::int64_t window) {
  auto found = views_.find(window);
  if (found == views_.end()) found = views_.emplace(window, make_view(window)).first;
  return {pages_[static_cast<std::size_t>(layer)], found->second.slots, found->second.offsets};
}

}  // namespace attend
