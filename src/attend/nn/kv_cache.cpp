#include "attend/nn/kv_cache.h"

#include <fmt/format.h>

#include <numeric>

#include "attend/core/error.h"

namespace attend {

KVCache::KVCache(int layers, std::int64_t hypotheses)
    : history_(static_cast<std::size_t>(hypotheses)), slabs_(static_cast<std::size_t>(layers)) {}

void KVCache::reorder(std::span<const std::int32_t> parents) {
  std::vector<std::vector<Slot>> reordered;
  reordered.reserve(parents.size());
  for (const std::int32_t parent : parents) {
    if (parent < 0 || parent >= hypotheses())
      throw ShapeError(fmt::format("[kv_cache] expected parents among {} hypotheses, counted from 0, got {}", hypotheses(), parent));
    reordered.push_back(history_[static_cast<std::size_t>(parent)]);
  }
  history_ = std::move(reordered);
}

void KVCache::extend(std::span<const std::int32_t> rows_per_hypothesis) {
  if (rows_per_hypothesis.size() != history_.size())
    throw ShapeError(
        fmt::format("[kv_cache] expected a number of rows for each of {} hypotheses, got {}", hypotheses(), rows_per_hypothesis.size()));
  const std::int32_t rows = std::accumulate(rows_per_hypothesis.begin(), rows_per_hypothesis.end(), std::int32_t{0});
  if (slab_ < 0 || end_ + rows > slab_rows_) {
    constexpr std::int32_t kStepsAhead = 8;
    ++slab_;
    slab_rows_ = rows + kStepsAhead * static_cast<std::int32_t>(history_.size());
    end_ = 0;
  }
  first_ = end_;
  for (std::size_t r = 0; r < history_.size(); ++r) {
    for (std::int32_t i = 0; i < rows_per_hypothesis[r]; ++i) history_[r].push_back({slab_, end_++});
  }
}

void KVCache::append(int layer, const Tensor& keys_values) {
  if (keys_values.rows() != end_ - first_)
    throw ShapeError(
        fmt::format("[kv_cache] expected a row for each of {} new positions, got {}", end_ - first_, to_string(keys_values.shape())));
  auto& slabs = slabs_[static_cast<std::size_t>(layer)];
  while (std::ssize(slabs) <= slab_) slabs.push_back(Tensor::empty({slab_rows_, keys_values.cols()}));
  slabs.back().slice_rows(first_, end_).copy_from(keys_values);
}

KVCache::View KVCache::view(int layer) {
  const auto& slabs = slabs_[static_cast<std::size_t>(layer)];
  keys_.clear();
  offsets_.assign(1, 0);
  for (const auto& positions : history_) {
    for (const Slot slot : positions) keys_.push_back(slabs[static_cast<std::size_t>(slot.slab)].row(slot.row));
    offsets_.push_back(static_cast<std::int32_t>(keys_.size()));
  }
  return {keys_, offsets_};
}

}  // namespace attend
