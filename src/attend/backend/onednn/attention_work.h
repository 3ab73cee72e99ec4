// What the attention kernels are told, and how a call is cut into work for threads.
//
// The unit of work is one head of one sequence, or of some of the queries of one. Units do not share anything they write, and what becomes
// of a query does not depend on the unit it is in, so the cut is free to follow the number of threads.
#pragma once

#include <cstddef>
#include <cstdint>

#include "attend/backend/backend.h"
#include "attend/backend/onednn/small_product.h"

namespace attend {

// Scores are computed in tiles of so many queries by so many keys. A sum over keys is a sum over tiles of sums over the keys of a tile.
constexpr std::ptrdiff_t kQueryBlock = 32;
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
  // Dropout on the weights; threshold 0 keeps all. The keys of the ten rounds of Philox are the same for every element.
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
  std::ptrdiff_t block = 0;  // where its [Tq, Tk] block of the bias starts; heads times that in the weights
};

// One row of attention_cached.
struct CachedQuery {
  const float* q = nullptr;
  const float* const* keys = nullptr;
  std::size_t count = 0;
  std::ptrdiff_t value_distance = 0;
  std::size_t width = 0;
  std::size_t value_width = 0;
  float scale = 1.0f;
  float* out = nullptr;
};

AttentionCall describe_attention(const Tensor& q, const Tensor& k, const Tensor& v, const AttentionLayout& layout, const Tensor& out);
StridedRows rows_of(const Tensor& x);

// Calls run(unit) for every unit of the layout, over the threads. Sequences are cut every `queries_per_unit` queries.
using RunUnit = void (*)(const AttentionCall&, const AttentionUnit&);
void for_attention_units(const AttentionCall& call, const AttentionLayout& layout, std::ptrdiff_t queries_per_unit, RunUnit run);

// Memory of the calling thread, aligned to 64 bytes, kept for its next call; valid until then.
float* attention_scratch(std::size_t floats);

}  // namespace attend
