// The keys and values of the positions decoded so far, for every layer of a decoder.
//
// What is in the cache is never moved: a table says which row of which slab holds position t of
// hypothesis r, and each step copies its rows to where nothing is that is still in the table. When
// a beam search reorders, duplicates or drops hypotheses, only the table is rewritten, and what
// only dropped ones had makes room. Numbers that do not fit what is there throw ShapeError.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "attend/backend/backend.h"
#include "attend/tensor/tensor.h"

namespace attend {

class KVCache {
 public:
  KVCache(int layers, std::int64_t hypotheses);

  std::int64_t hypotheses() const { return static_cast<std::int64_t>(history_.size()); }

  // Hypothesis r goes on from what was hypothesis parents[r]; there may be more or fewer than
  // before.
  void reorder(std::span<const std::int32_t> parents);

  // Begins new positions: rows_per_hypothesis[r] of them for hypothesis r, whose keys and values
  // every layer appends next, laid out hypothesis after hypothesis.
  void extend(std::span<const std::int32_t> rows_per_hypothesis);

  // keys_values [rows, W], f32 or i8: one row per new position, keys beginning at column 0.
  void append(int layer, const Tensor& keys_values);

  // All positions of each hypothesis. Valid until the next call of another member.
  KeyRows view(int layer);

 private:
  // Makes at least `count` slots free.
  void make_room(std::size_t count);
  void collect();

  std::vector<std::vector<KeySlot>> history_;  // [hypothesis][position]
  std::vector<std::vector<Tensor>> slabs_;     // [layer][slab] of [rows, W]
  std::vector<std::int32_t> slab_rows_;        // that each slab has room for
  std::vector<KeySlot> free_;                  // not in the table, the next one to be used last
  Ids newest_;                                 // slot_ids() of the positions of the last extend
  Ids slots_, offsets_;                        // for views of any layer; none: to be made again
};

}  // namespace attend
