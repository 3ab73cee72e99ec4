// What the attention kernels are told, and how a call is cut into work for threads.
//
// The unit of work is one head of one sequence, or of some of the queries of one. Units do not
// share anything they write, and what becomes of a query does not depend on the unit it is in, so
// the cut is free to follow the number of threads.
#pragma once

#include <cstddef>
#include <cstdint>

#include "attend/backend/backend.h"
#include "attend/backend/fast/gemm/small_product.h"

namespace attend {

// Scores are computed in tiles of so many queries by so many keys. A sum over keys is a sum over
// tiles of sums over the keys of a tile.
constexpr std::ptrdiff_t kQueryBlock = 64;
constexpr std::ptrdiff_t kKeyTile = 256;
static_assert(kKeyTile % 8 == 0, "one block of Philox serves 8 keys");

// Long sequences are cut into units of so many queries, where nothing but the queries is written.
constexpr std::ptrdiff_t kQueriesPerUnit = 4 * kQueryBlock;

// A whole call.
struct AttentionCall {
  StridedRows q, k, v, out;      // [N, H*Dh], [M, H*Dh], [M, H*Dv], [N, H*Dv]
  StridedRows log_sum_exp;       // [N, H]; data is null when not wanted
  StridedRows dout, dq, dk, dv;  // backward only
  float* weights = nullptr;
  const float* bias = nullptr;
  std::ptrdiff_t heads = 1;
  std::ptrdiff_t width = 0;        // Dh
  std::ptrdiff_t value_width = 0;  // Dv
  float scale = 1.0f;
  bool causal = false;
  // Dropout on the weights; threshold 0 keeps all. The keys of the ten rounds of Philox are the
  // same for every element.
  std::uint32_t drop_threshold = 0;
  float drop_scale = 1.0f;
  RandomKey drop_key;
  std::uint32_t round_keys[10][2] = {};
};

// One head of queries [query_begin, query_end) of a sequence.
struct AttentionUnit {
  std::ptrdiff_t head = 0;
  std::ptrdiff_t query_row = 0;  // of the sequence's first query, in the batch
  std::ptrdiff_t key_row = 0;    // of its first key
  std::ptrdiff_t queries = 0;    // Tq
  std::ptrdiff_t keys = 0;       // Tk
  std::ptrdiff_t query_begin = 0;
  std::ptrdiff_t query_end = 0;
  std::ptrdiff_t block =
      0;  // where its [Tq, Tk] block of the bias starts; heads times that in the weights
};

// Asks for the operands of the unit that a thread computes next, while it computes another. The
// rows of a head are far apart, so the processor does not foresee them; and it waits when asked for
// many at once, so every block of queries asks for a part, one operand here and there.
class Prefetch {
 public:
  // `next` may be null: nothing comes next.
  Prefetch(const AttentionUnit* next, std::ptrdiff_t part, std::ptrdiff_t parts)
      : next_(next), part_(part), parts_(parts) {}

  // Of an operand with `width` columns per head.
  [[gnu::always_inline]] void queries(const StridedRows& operand, std::ptrdiff_t width) const {
    if (next_ != nullptr)
      rows(operand, next_->query_row + next_->query_begin, next_->query_end - next_->query_begin,
           width);
  }
  [[gnu::always_inline]] void keys(const StridedRows& operand, std::ptrdiff_t width) const {
    if (next_ != nullptr) rows(operand, next_->key_row, next_->keys, width);
  }

 private:
  static constexpr std::ptrdiff_t kMostRows =
      128;  // of a long sequence only the first: it uses its operands often
  static constexpr std::ptrdiff_t kLine = 64 / sizeof(float);

  [[gnu::always_inline]] void rows(const StridedRows& operand, std::ptrdiff_t first,
                                   std::ptrdiff_t count, std::ptrdiff_t width) const {
    if (count > kMostRows) count = kMostRows;
    for (std::ptrdiff_t r = first + count * part_ / parts_;
         r < first + count * (part_ + 1) / parts_; ++r) {
      for (std::ptrdiff_t i = 0; i < width; i += kLine)
        __builtin_prefetch(operand.at(r, next_->head * width + i));
    }
  }

  const AttentionUnit* next_;
  std::ptrdiff_t part_, parts_;
};

// Where the [Tq, Tk] block of a unit's head starts in a tensor of pairs.
inline std::ptrdiff_t pairs_begin(const AttentionCall& call, const AttentionUnit& unit) {
  return unit.block * call.heads + unit.head * unit.queries * unit.keys;
}

// One query's row of a tensor of pairs, on its way through softmax or arg max.
struct PairRow {
  const float* from = nullptr;
  float* to = nullptr;
  const float* bias = nullptr;  // null: none
  float scale = 1.0f;
  std::size_t seen = 0;   // keys that the query sees
  std::size_t count = 0;  // all keys
};

// One row of attention_cached.
struct CachedQuery {
  const float* q = nullptr;
  const void* const* keys = nullptr;
  bool in_bytes = false;  // keys and values: groups of quantize_groups()
  std::size_t count = 0;
  std::ptrdiff_t value_distance = 0;
  std::size_t width = 0;
  std::size_t value_width = 0;
  float scale = 1.0f;
  float* out = nullptr;

  std::size_t scores_stride() const {
    return (count + 3) / 4 * 4;
  }  // floats for a head: four keys at a time
};

AttentionCall describe_attention(const Tensor& q, const Tensor& k, const Tensor& v,
                                 const AttentionLayout& layout, const Tensor& out);
StridedRows rows_of(const Tensor& x);

// Calls run(call, unit, next) for every unit of the layout, over the threads; `next` is the unit
// that follows on the same thread, or null. Sequences are cut every `queries_per_unit` queries.
using RunUnit = void (*)(const AttentionCall&, const AttentionUnit&, const AttentionUnit*);
void for_attention_units(const AttentionCall& call, const AttentionLayout& layout,
                         std::ptrdiff_t queries_per_unit, RunUnit run);

// Memory of the calling thread, aligned to 64 bytes, kept for its next call; valid until then.
float* attention_scratch(std::size_t floats);

}  // namespace attend
