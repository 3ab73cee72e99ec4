#include <cassert>
#include <limits>

#include "attend/backend/fast/attention/attention_work.h"
#include "attend/backend/fast/fast_backend.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "attend/backend/fast/attention/attention_backward.cpp"
#include "attend/backend/fast/targets.h"
// must come between the two
#include "hwy/foreach_target.h"

#include "attend/backend/fast/attention/attention_scores-inl.h"
#include "attend/backend/fast/attention/distance_bias-inl.h"
#include "attend/backend/fast/exp-inl.h"
#include "attend/backend/fast/rows/row_reduction-inl.h"

HWY_BEFORE_NAMESPACE();
namespace attend {
namespace HWY_NAMESPACE {

// Whether one block holds all queries of the sequence, so that no other block adds to the key
// gradients.
HWY_INLINE bool answers_alone(const AttentionUnit& unit) {
  return unit.queries > 0 && unit.queries <= kQueryBlock;
}

struct BackwardScratch {
  float* q_transposed;
  float* dout_transposed;
  float* scores;      // becomes the weights after dropout
  float* dweights;    // becomes scale * the gradient of the scores
  float* paired;      // a tile of an operand as pairs of bf16; null: products are of floats
  float* factors;     // null without dropout
  float* slopes;      // of the cap of the scores; null without one
  float* diagonals;   // biases by distance, or null
  float* sums;        // of the gradients of the scores by distance, or null
  float* normalizer;  // log sum exp of each query; +infinity for a query without keys, since
                      // exp(score - infinity) = 0
  float* mean;        // scale * sum_j weight_j dweight_j = scale * dout . out
};

// With p = exp(score - log sum exp) and f the dropout factor:  scores -> f p,  dweights -> scale p
// (f dweight - mean).
HWY_INLINE void backward_tile_column(const AttentionTile& tile, std::ptrdiff_t n, float scale,
                                     const BackwardScratch& scratch) {
  const Floats d;
  const auto normalizer = hn::LoadU(d, scratch.normalizer + n);
  const auto mean = hn::LoadU(d, scratch.mean + n);
  const auto factor = hn::Set(d, scale);
  const SeenRows rows = seen_rows(tile, n);
  const auto clear = [&](std::ptrdiff_t begin, std::ptrdiff_t end) HWY_ATTR {
    for (std::ptrdiff_t j = begin; j < end; ++j) {
      hn::StoreU(hn::Zero(d), d, scratch.scores + j * tile.stride + n);
      hn::StoreU(hn::Zero(d), d, scratch.dweights + j * tile.stride + n);
    }
  };
  clear(0, rows.begin);
  for (std::ptrdiff_t j = rows.begin; j < rows.end; ++j) {
    const std::ptrdiff_t at = j * tile.stride + n;
    auto p = exp_of(d, hn::Sub(hn::LoadU(d, scratch.scores + at), normalizer));
    if (j < rows.inner_begin || j >= rows.inner_end)
      p = hn::IfThenZeroElse(blind_lanes(tile, j, n), p);
    auto dweight = hn::LoadU(d, scratch.dweights + at);
    auto dropped = p;
    if (scratch.factors != nullptr) {
      const auto f = hn::LoadU(d, scratch.factors + at);
      dropped = hn::Mul(p, f);
      dweight = hn::Mul(dweight, f);
    }
    const auto dscore = hn::Mul(p, hn::MulSub(dweight, factor, mean));
    hn::StoreU(dropped, d, scratch.scores + at);
    // A key without weight contributes nothing, whatever its value.
    hn::StoreU(hn::IfThenZeroElse(hn::Eq(p, hn::Zero(d)), dscore), d, scratch.dweights + at);
  }
  clear(rows.end, tile.keys());
}

// Gradients of capped scores -> gradients of the scores.
HWY_NOINLINE void multiply_slopes(const AttentionTile& tile, const float* slopes, float* dscores) {
  const Floats d;
  const auto lanes = static_cast<std::ptrdiff_t>(hn::Lanes(d));
  for (std::ptrdiff_t n = 0; n < tile.stride; n += lanes) {
    const SeenRows rows = seen_rows(tile, n);
    for (std::ptrdiff_t j = rows.begin; j < rows.end; ++j) {
      const std::ptrdiff_t at = j * tile.stride + n;
      const auto dscore = hn::LoadU(d, dscores + at);
      const auto product = hn::Mul(dscore, hn::LoadU(d, slopes + at));
      // A key without weight contributes nothing, whatever its score.
      hn::StoreU(hn::IfThenZeroElse(hn::Eq(dscore, hn::Zero(d)), product), d, dscores + at);
    }
  }
}

HWY_INLINE void load_block(const AttentionCall& call, const AttentionUnit& unit,
                           const AttentionTile& block, const BackwardScratch& scratch) {
  const std::ptrdiff_t query_row = unit.query_row + block.query_begin;
  const std::ptrdiff_t value_column = unit.head * call.value_width;
  const StridedRows q{call.q.at(query_row, unit.head * call.width), call.q.stride};
  const StridedRows dout{call.dout.at(query_row, value_column), call.dout.stride};
  const bool pairs = scratch.paired != nullptr;
  transpose_queries(block, q, call.width, call.scale, pairs, scratch.q_transposed);
  transpose_queries(block, dout, call.value_width, 1.0f, pairs, scratch.dout_transposed);
  for (std::ptrdiff_t i = 0; i < block.stride; ++i) {
    scratch.normalizer[i] = __builtin_inff();
    scratch.mean[i] = 0.0f;
  }
  for (std::ptrdiff_t i = 0; i < block.queries(); ++i) {
    const float log_sum_exp = *call.log_sum_exp.at(query_row + i, unit.head);
    if (log_sum_exp == -__builtin_inff()) continue;
    scratch.normalizer[i] = log_sum_exp;
    scratch.mean[i] = call.scale * row_dot(call.out.at(query_row + i, value_column), dout.at(i, 0),
                                           static_cast<std::size_t>(call.value_width));
  }
}

// Adds the tile's part of dq (the first tile overwrites), dk and dv (overwritten if the block is
// the only one).
HWY_INLINE void backward_products(const AttentionCall& call, const AttentionUnit& unit,
                                  const AttentionTile& tile, const BackwardScratch& scratch,
                                  const Prefetch& prefetch) {
  const std::ptrdiff_t query_row = unit.query_row + tile.query_begin;
  const std::ptrdiff_t key_row = unit.key_row + tile.key_begin;
  const std::ptrdiff_t column = unit.head * call.width;
  const std::ptrdiff_t value_column = unit.head * call.value_width;
  const auto of_queries = [&](const StridedRows& rows, std::ptrdiff_t first) {
    return StridedRows{rows.at(query_row, first), rows.stride};
  };
  const auto of_keys = [&](const StridedRows& rows, std::ptrdiff_t first) {
    return StridedRows{rows.at(key_row, first), rows.stride};
  };
  const bool alone = answers_alone(unit);

  SmallProduct dv = sums_of_queries(call, tile, scratch.scores, of_queries(call.dout, value_column),
                                    call.value_width, of_keys(call.dv, value_column));
  dv.accumulate = !alone;
  if (scratch.paired != nullptr) pair_operands(dv, scratch.scores, scratch.paired);
  small_product(dv);
  prefetch.queries(call.dq, call.width);

  SmallProduct dq = sums_of_keys(call, tile, scratch.dweights, of_keys(call.k, column), call.width,
                                 of_queries(call.dq, column));
  dq.accumulate = !tile.is_first();
  // Into the weights, because dk takes other pairs of the same numbers.
  if (scratch.paired != nullptr) pair_operands(dq, scratch.scores, scratch.paired);
  small_product(dq);
  prefetch.keys(call.dk, call.width);

  SmallProduct dk = sums_of_queries(call, tile, scratch.dweights, of_queries(call.q, column),
                                    call.width, of_keys(call.dk, column));
  dk.accumulate = !alone;
  if (scratch.paired != nullptr) pair_operands(dk, scratch.dweights, scratch.paired);
  small_product(dk);
  prefetch.keys(call.dv, call.value_width);
}

HWY_INLINE void backward_block(const AttentionCall& call, const AttentionUnit& unit,
                               const AttentionTile& block, const BackwardScratch& scratch,
                               const Prefetch& prefetch) {
  const auto lanes = static_cast<std::ptrdiff_t>(hn::Lanes(Floats()));
  load_block(call, unit, block, scratch);
  AttentionTile tile = block;
  for (; tile.is_first() || tile.key_begin < block.key_end; tile.key_begin += kKeyTile) {
    tile.key_end = HWY_MIN(block.key_end, tile.key_begin + kKeyTile);
    const std::ptrdiff_t key_row = unit.key_row + tile.key_begin;
    const Prefetch fetch = tile.is_first() ? prefetch : Prefetch(nullptr, 0, 1);
    fetch.queries(call.q, call.width);
    tile_product(tile, {call.k.at(key_row, unit.head * call.width), call.k.stride},
                 scratch.q_transposed, call.width, scratch.paired, scratch.scores);
    if (scratch.slopes != nullptr) cap_scores(tile, call.cap, scratch.slopes, scratch.scores);
    if (call.bias != nullptr)
      add_tile_bias(tile, call.bias + unit.block, unit.keys, scratch.scores);
    if (scratch.diagonals != nullptr) add_diagonals(tile, unit, scratch.diagonals, scratch.scores);
    fetch.queries(call.dout, call.value_width);
    tile_product(tile, {call.v.at(key_row, unit.head * call.value_width), call.v.stride},
                 scratch.dout_transposed, call.value_width, scratch.paired, scratch.dweights);
    fetch.queries(call.out, call.value_width);
    if (scratch.factors != nullptr) draw_tile_dropout(call, unit, tile, scratch.factors);
    fetch.keys(call.k, call.width);
    for (std::ptrdiff_t n = 0; n < tile.stride; n += lanes)
      backward_tile_column(tile, n, call.scale, scratch);
    if (scratch.sums != nullptr) sum_diagonals(tile, unit, scratch.dweights, scratch.sums);
    if (scratch.slopes != nullptr) multiply_slopes(tile, scratch.slopes, scratch.dweights);
    fetch.keys(call.v, call.value_width);
    backward_products(call, unit, tile, scratch, fetch);
  }
}

HWY_INLINE void clear_rows(const StridedRows& rows, std::ptrdiff_t first, std::ptrdiff_t count,
                           std::ptrdiff_t column, std::ptrdiff_t width) {
  for (std::ptrdiff_t r = 0; r < count; ++r) {
    float* row = rows.at(first + r, column);
    for (std::ptrdiff_t i = 0; i < width; ++i) row[i] = 0.0f;
  }
}

// The gradients of the first keys of a sequence.
HWY_INLINE void clear_keys(const AttentionCall& call, const AttentionUnit& unit,
                           std::ptrdiff_t count) {
  clear_rows(call.dk, unit.key_row, count, unit.head * call.width, call.width);
  clear_rows(call.dv, unit.key_row, count, unit.head * call.value_width, call.value_width);
}

void attention_backward_unit(const AttentionCall& call, const AttentionUnit& unit,
                             const AttentionUnit* next) {
  const std::ptrdiff_t tile_size = kKeyTile * kQueryBlock;
  const std::size_t diagonals = call.distance_bias.data != nullptr ? diagonal_floats(unit) : 0;
  float* at =
      attention_scratch(static_cast<std::size_t>((call.width + call.value_width + 2) * kQueryBlock +
                                                 4 * tile_size + paired_tile_floats(call)) +
                        2 * diagonals);
  BackwardScratch scratch;
  scratch.normalizer = at;
  scratch.mean = at + kQueryBlock;
  scratch.q_transposed = scratch.mean + kQueryBlock;
  scratch.dout_transposed = scratch.q_transposed + call.width * kQueryBlock;
  scratch.scores = scratch.dout_transposed + call.value_width * kQueryBlock;
  scratch.dweights = scratch.scores + tile_size;
  scratch.factors = call.drop_threshold > 0 ? scratch.dweights + tile_size : nullptr;
  scratch.slopes = call.cap > 0.0f ? scratch.dweights + 2 * tile_size : nullptr;
  float* const paired = scratch.dweights + 3 * tile_size;
  scratch.paired = multiplies_pairs(call, unit) ? paired : nullptr;
  scratch.diagonals = diagonals > 0 ? paired + paired_tile_floats(call) : nullptr;
  scratch.sums = call.distance_sums != nullptr ? scratch.diagonals + diagonals : nullptr;
  if (scratch.diagonals != nullptr) load_diagonals(call, unit, scratch.diagonals);
  for (std::size_t i = 0; scratch.sums != nullptr && i < diagonals; ++i) scratch.sums[i] = 0.0f;

  if (!answers_alone(unit)) clear_keys(call, unit, unit.keys);
  const std::ptrdiff_t blocks = (unit.queries + kQueryBlock - 1) / kQueryBlock;
  for (std::ptrdiff_t b = 0; b < blocks; ++b) {
    const std::ptrdiff_t begin = b * kQueryBlock;
    const AttentionTile block = block_of(call, unit, begin);
    if (answers_alone(unit)) clear_keys(call, unit, block.first_key);
    backward_block(call, unit, block, scratch, Prefetch(next, b, blocks));
  }
  if (scratch.sums == nullptr) return;
  float* const sums = distance_sums_of(call, unit);
  for (std::ptrdiff_t i = 0; i < unit.queries + unit.keys; ++i) sums[i] = scratch.sums[i];
}

}  // namespace HWY_NAMESPACE
}  // namespace attend
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace attend {

HWY_EXPORT(attention_backward_unit);

void FastBackend::attention_backward(const AttentionOperands& x, const AttentionLayout& layout,
                                     const Tensor& out, const Tensor& log_sum_exp,
                                     const Tensor& dout, const AttentionGradients& gradients) {
  assert(x.q.cols() == x.k.cols() && x.v.cols() == out.cols() && log_sum_exp.defined());
  AttentionCall call = describe_attention(x, layout, out);
  call.log_sum_exp = rows_of(log_sum_exp);
  call.dout = rows_of(dout);
  call.dq = rows_of(gradients.q);
  call.dk = rows_of(gradients.k);
  call.dv = rows_of(gradients.v);
  Tensor distance_sums;
  if (gradients.distance_bias.defined()) {
    distance_sums = make_distance_sums(layout);
    call.distance_sums = distance_sums.data();
  }
  // The gradients of a key sum over all queries of its sequence, so sequences are not split here.
  for_attention_units(layout, call.width + call.value_width, kWholeSequence,
                      [&call](const AttentionUnit& unit, const AttentionUnit* next) {
                        HWY_DYNAMIC_DISPATCH(attention_backward_unit)(call, unit, next);
                      });
  if (gradients.distance_bias.defined())
    write_distance_gradient(call, layout, gradients.distance_bias);
}

}  // namespace attend
#endif
