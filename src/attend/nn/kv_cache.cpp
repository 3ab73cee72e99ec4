#include "attend/nn/kv_cache.h"

#include <fmt/format.h>

#include "attend/core/error.h"

namespace attend {

KVCache::KVCache(int layers, std::int64_t hypotheses)
    : history_(static_cast<std::size_t>(hypotheses)), blocks_(static_cast<std::size_t>(layers)) {}

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
  std::int32_t row = 0;
  for (std::size_t r = 0; r < history_.size(); ++r) {
    for (std::int32_t i = 0; i < rows_per_hypothesis[r]; ++i) history_[r].push_back({steps_, row++});
  }
  ++steps_;
  new_positions_ = row;
}

void KVCache::append(int layer, const Tensor& keys_values) {
  if (keys_values.rows() != new_positions_)
    throw ShapeError(
        fmt::format("[kv_cache] expected a row for each of {} new positions, got {}", new_positions_, to_string(keys_values.shape())));
  blocks_[static_cast<std::size_t>(layer)].push_back(keys_values);
}

KVCache::View KVCache::view(int layer) {
  const auto& blocks = blocks_[static_cast<std::size_t>(layer)];
  keys_.clear();
  offsets_.assign(1, 0);
  for (const auto& positions : history_) {
    for (const Slot slot : positions) keys_.push_back(blocks[static_cast<std::size_t>(slot.block)].row(slot.row));
    offsets_.push_back(static_cast<std::int32_t>(keys_.size()));
  }
  return {keys_, offsets_};
}

}  // namespace attend
