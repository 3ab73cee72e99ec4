#include "attend/backend/fast/attention/attention_work.h"

#include <algorithm>
#include <bit>
#include <vector>

#include "attend/backend/cpu/attention_sequences.h"
#include "attend/core/threads/parallel.h"
#include "attend/tensor/allocator.h"

namespace attend {

namespace {

// Minimum scratch of a thread, in floats: enough for forward and backward with heads of 64, so it
// is allocated once and not per kernel.
constexpr std::size_t kSmallestScratch = std::size_t{1} << 16;

// Queries of a sequence that all heads process together.
struct Piece {
  AttentionUnit unit;  // of head 0
  std::int64_t cost;   // of one head
};

// A rough count of the multiply-adds of one head, per unit of head width, plus the overhead of a
// unit.
std::int64_t cost_of(const AttentionUnit& unit, const AttentionLayout& layout) {
  const std::int64_t queries = unit.query_end - unit.query_begin;
  const VisibleKeys seen =
      visible_keys(layout, (unit.query_begin + unit.query_end) / 2, unit.queries, unit.keys);
  const std::int64_t keys = seen.end - seen.begin;
  return queries * (keys + 8) + 8 * unit.keys + 64;
}

void collect_pieces(const AttentionLayout& layout, std::ptrdiff_t queries_per_unit,
                    std::vector<Piece>& pieces) {
  pieces.clear();
  std::ptrdiff_t tokens = 0;
  for_each_sequence(layout, [&](const AttentionSequence& sequence) {
    AttentionUnit unit;
    unit.query_row = sequence.query_begin;
    unit.queries = sequence.queries;
    unit.key_row = sequence.key_begin;
    unit.keys = sequence.keys;
    unit.block = sequence.bias_begin;
    unit.tokens_before = tokens;
    tokens += unit.queries + unit.keys;
    // A sequence without queries still has keys, whose gradients are zero.
    do {
      unit.query_end = std::min(unit.queries, unit.query_begin + queries_per_unit);
      pieces.push_back({unit, cost_of(unit, layout)});
      unit.query_begin = unit.query_end;
    } while (unit.query_begin < unit.queries);
  });
}

// The start of each part, for parts of about equal cost. A position is piece * heads + head; the
// last entry is the end.
void cut_into_parts(const std::vector<Piece>& pieces, std::int64_t heads, std::int64_t part_cost,
                    std::vector<std::int64_t>& starts) {
  starts.assign(1, 0);
  std::int64_t cost = 0;
  std::int64_t position = 0;
  for (const Piece& piece : pieces) {
    for (std::int64_t head = 0; head < heads; ++head) {
      if (cost >= part_cost) {
        starts.push_back(position);
        cost = 0;
      }
      cost += piece.cost;
      ++position;
    }
  }
  starts.push_back(position);
}

// So that a delayed thread does not hold up the others.
constexpr std::int64_t kPartsPerThread = 8;
constexpr std::int64_t kSmallestPart = 1 << 18;  // multiply-adds worth handing to another thread

}  // namespace

StridedRows rows_of(const Tensor& x) {
  return {x.data(), static_cast<std::ptrdiff_t>(x.row_stride())};
}

AttentionCall describe_attention(const AttentionOperands& x, const AttentionLayout& layout,
                                 const Tensor& out) {
  AttentionCall call;
  call.q = rows_of(x.q);
  call.k = rows_of(x.k);
  call.v = rows_of(x.v);
  call.out = rows_of(out);
  if (layout.bias.defined()) call.bias = layout.bias.data();
  if (x.distance_bias.defined()) {
    call.distance_bias = rows_of(x.distance_bias.table);
    call.reach = x.distance_bias.reach();
  }
  call.heads = layout.heads;
  call.width = x.q.cols() / layout.heads;
  call.value_width = x.v.cols() / layout.heads;
  call.scale = layout.scale;
  call.causal = layout.causal;
  call.window = layout.window;
  call.cap = layout.cap;
  call.precision = layout.precision;
  if (layout.dropout.p > 0.0f) {
    call.drop_threshold = layout.dropout.threshold();
    call.drop_scale = layout.dropout.scale();
    call.drop_key = layout.dropout.key;
    auto low = static_cast<std::uint32_t>(layout.dropout.key.seed);
    auto high = static_cast<std::uint32_t>(layout.dropout.key.seed >> 32);
    for (auto& round : call.round_keys) {
      round[0] = low;
      round[1] = high;
      low += 0x9E3779B9u;
      high += 0xBB67AE85u;
    }
  }
  return call;
}

void for_attention_units(const AttentionLayout& layout, std::ptrdiff_t pair_cost,
                         std::ptrdiff_t queries_per_unit, const RunUnit& run) {
  thread_local std::vector<Piece> pieces;
  thread_local std::vector<std::int64_t> starts;
  collect_pieces(layout, queries_per_unit, pieces);
  std::int64_t total = 0;
  for (const Piece& piece : pieces) total += piece.cost;
  const std::int64_t heads = layout.heads;
  const std::int64_t smallest = kSmallestPart / std::max<std::int64_t>(1, pair_cost);
  const std::int64_t part_cost =
      std::max(smallest, 1 + total * heads / (kPartsPerThread * threads()));
  cut_into_parts(pieces, heads, part_cost, starts);

  const Piece* const all = pieces.data();  // `pieces` is thread-local
  const std::int64_t* const start = starts.data();
  const auto unit_at = [heads, all](std::int64_t position) {
    AttentionUnit unit = all[position / heads].unit;
    unit.head = position % heads;
    return unit;
  };
  parallel_each(static_cast<std::int64_t>(starts.size()) - 1, [&](std::int64_t part) {
    AttentionUnit next = unit_at(start[part]);
    for (std::int64_t position = start[part]; position < start[part + 1]; ++position) {
      const AttentionUnit unit = next;
      const bool last = position + 1 == start[part + 1];
      if (!last) next = unit_at(position + 1);
      run(unit, last ? nullptr : &next);
    }
  });
}

float* attention_scratch(std::size_t floats) {
  struct Scratch {
    std::shared_ptr<std::byte> memory;
    std::size_t floats = 0;
  };
  thread_local Scratch scratch;
  if (scratch.floats < floats) {
    scratch.memory.reset();
    scratch.floats = std::bit_ceil(std::max(floats, kSmallestScratch));
    scratch.memory = allocate(scratch.floats * sizeof(float));
  }
  return reinterpret_cast<float*>(scratch.memory.get());
}

}  // namespace attend
