// The keys and values of all decoded positions, for every layer of a decoder.
//
// Entries never move: a table maps position t of hypothesis r to a row of a page, and each step
// writes its rows to free slots. When beam search reorders, duplicates or drops hypotheses, only
// the table changes; rows of dropped hypotheses become free. Mismatched sizes throw ShapeError.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <vector>

#include "attend/backend/backend.h"
#include "attend/tensor/tensor.h"

namespace attend {

class KVCache {
 public:
  KVCache(int layers, std::int64_t hypotheses);

  std::int64_t hypotheses() const { return static_cast<std::int64_t>(history_.size()); }

  // Hypothesis r continues the former hypothesis parents[r]; the number of hypotheses may change.
  void reorder(std::span<const std::int32_t> parents);
  // Adds hypotheses without positions after the others.
  void join(std::int64_t hypotheses);
  // Drops all positions of a hypothesis.
  void forget(std::int64_t hypothesis);

  // Adds rows_per_hypothesis[r] positions to hypothesis r. Every layer then appends their keys and
  // values, hypothesis by hypothesis.
  void extend(std::span<const std::int32_t> rows_per_hypothesis);

  // keys_values [rows, W], f32 or i8: one row per new position, keys first.
  void append(int layer, const Tensor& keys_values);

  // Positions of the new rows in their hypotheses, from 0.
  const Ids& positions() const { return positions_; }

  // For a recurrence: where the new rows of each hypothesis that has some begin [H+1], and the f32
  // rows [H, W] that it had before them: zeros if it had none, undefined if
  // none of them had one.
  const Ids& new_offsets() const { return new_offsets_; }
  Tensor last_rows(int layer, std::int64_t width) const;

  // What each new position sees: its hypothesis up to itself, or the last `window` positions of
  // that; 0: all. Valid until the next call of another member.
  KeyRows view(int layer, std::int64_t window = 0);

 private:
  using Rows = std::vector<std::int32_t>;
  struct View {
    Ids slots, offsets;
  };
  View make_view(std::int64_t window) const;

  // Makes at least `count` slots free.
  void make_room(std::size_t count);
  void collect();

  std::vector<std::vector<CacheSlot>> history_;  // [hypothesis][position]
  std::vector<std::vector<Tensor>> pages_;       // [layer][page] of [rows, W]
  std::vector<std::int32_t> page_rows_;          // capacity of each page
  std::vector<CacheSlot> free_;                  // slots not in the table; the last is used next
  Rows new_rows_;                                // of each hypothesis, by the last extend
  Ids newest_;                                   // slot_ids() of these rows
  Ids positions_;                                // of the same
  Ids new_offsets_;                              // where each hypothesis with some begins
  std::map<std::int64_t, View> views_;           // by window, for any layer; empty: to be rebuilt
};

}  // namespace attend
