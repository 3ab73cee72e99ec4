// The arguments of the attention kernels, and how a call is partitioned into work for threads.
//
// A unit of work is one head of one sequence, or of some of its queries. Units share no output, and
// a query's result does not depend on its unit, so the partition may follow the number of threads.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>

#include "attend/backend/backend.h"
#include "attend/backend/fast/gemm/small_product.h"

namespace attend {

// Scores are computed in tiles of kQueryBlock queries by kKeyTile keys. A sum over keys is a sum
// over tiles of sums within the tile.
constexpr std::ptrdiff_t kQueryBlock = 64;
constexpr std::ptrdiff_t kKeyTile = 256;
static_assert(kKeyTile % 8 == 0, "one block of Philox serves 8 keys");

// Long sequences are split into units of this many queries if only query rows are written.
constexpr std::ptrdiff_t kQueriesPerUnit = 4 * kQueryBlock;
constexpr std::ptrdiff_t kWholeSequence = std::numeric_limits<std::ptrdiff_t>::max() / 2;

// The arguments of a call.
struct AttentionCall {
  StridedRows q, k, v, out;      // [N, H*Dh], [M, H*Dh], [M, H*Dv], [N, H*Dv]
  StridedRows log_sum_exp;       // [N, H]; null data if not requested
  StridedRows dout, dq, dk, dv;  // backward only
  float* weights = nullptr;
  const float* bias = nullptr;
  StridedRows distance_bias;  // [2 reach + 1, H]; null data: none
  std::ptrdiff_t reach = 0;
  float* distance_sums = nullptr;  // backward only, see distance_bias.h; null: not computed
  std::ptrdiff_t heads = 1;
  std::ptrdiff_t width = 0;        // Dh
  std::ptrdiff_t value_width = 0;  // Dv
  float scale = 1.0f;
  bool causal = false;
  std::ptrdiff_t window = 0;  // 0: none
  float cap = 0.0f;           // 0: none
  Precision precision = Precision::f32;
  // Dropout on the weights; threshold 0 keeps all. All elements share the keys of Philox's ten
  // rounds.
  std::uint32_t drop_threshold = 0;
  float drop_scale = 1.0f;
  RandomKey drop_key;
  std::uint32_t round_keys[10][2] = {};
};

// One head of queries [query_begin, query_end) of a sequence.
struct AttentionUnit {
  std::ptrdiff_t head = 0;
  std::ptrdiff_t query_row = 0;  // row of the sequence's first query in the batch
  std::ptrdiff_t key_row = 0;    // row of its first key
  std::ptrdiff_t queries = 0;    // Tq
  std::ptrdiff_t keys = 0;       // Tk
  std::ptrdiff_t query_begin = 0;
  std::ptrdiff_t query_end = 0;
  // Start of its [Tq, Tk] block in the bias; times heads, in the weights.
  std::ptrdiff_t block = 0;
  std::ptrdiff_t tokens_before = 0;  // queries and keys of the sequences before
};

// Prefetches the operands of the unit that a thread computes next. The rows of a head are too far
// apart for the hardware prefetcher, and many prefetches at once stall, so every block of queries
// prefetches a part, one operand at a time.
class Prefetch {
 public:
  // `next` may be null if nothing follows.
  Prefetch(const AttentionUnit* next, std::ptrdiff_t part, std::ptrdiff_t parts)
      : next_(next), part_(part), parts_(parts) {}

  // Prefetches an operand with `width` columns per head.
  [[gnu::always_inline]] void queries(const StridedRows& operand, std::ptrdiff_t width) const {
    if (next_ != nullptr)
      rows(operand, next_->query_row + next_->query_begin, next_->query_end - next_->query_begin,
           width);
  }
  [[gnu::always_inline]] void keys(const StridedRows& operand, std::ptrdiff_t width) const {
    if (next_ != nullptr) rows(operand, next_->key_row, next_->keys, width);
  }

 private:
  // Only the start of a long sequence: it uses its operands often.
  static constexpr std::ptrdiff_t kMostRows = 128;
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

// Queries that attention_cached computes together at most.
constexpr std::size_t kMostQueries = 5;

// Consecutive rows of attention_cached whose first `shared` keys are the same.
struct CachedQueries {
  const float* q = nullptr;
  std::ptrdiff_t q_stride = 0;
  std::size_t queries = 1;
  const void* const* keys = nullptr;  // `longest` for each; of the shared ones only the first row's
  std::size_t counts[kMostQueries] = {};  // keys of each
  std::size_t longest = 0;
  std::size_t shared = 0;  // all of their keys, or a multiple of four; 0 of one query
  bool in_bytes = false;   // keys and values in 8 bits, from quantize_groups()
  std::ptrdiff_t value_distance = 0;
  std::size_t group = 1;  // heads of queries that see one of keys
  std::size_t width = 0;
  std::size_t value_width = 0;
  float scale = 1.0f;
  StridedRows distance_bias;  // [2 reach + 1, H]; null data: none
  std::size_t reach = 0;
  float cap = 0.0f;  // 0: none
  float* out = nullptr;
  std::ptrdiff_t out_stride = 0;

  const void* const* keys_of(std::size_t query) const { return keys + query * longest; }
  // Floats per head, rounded up to four keys.
  std::size_t scores_stride() const { return (longest + 3) / 4 * 4; }
};

AttentionCall describe_attention(const AttentionOperands& x, const AttentionLayout& layout,
                                 const Tensor& out);
StridedRows rows_of(const Tensor& x);

// Calls run(unit, next) for every unit of the layout, over the threads; `next` is the following
// unit on the same thread, or null. A pair of query and key costs about `pair_cost` multiply-adds.
// Sequences are split every `queries_per_unit` queries.
using RunUnit = std::function<void(const AttentionUnit& unit, const AttentionUnit* next)>;
void for_attention_units(const AttentionLayout& layout, std::ptrdiff_t pair_cost,
                         std::ptrdiff_t queries_per_unit, const RunUnit& run);

// Scratch memory of the calling thread, aligned to 64 bytes; valid until its next call.
float* attention_scratch(std::size_t floats);

}  // namespace attend
