#include <cassert>

#include "attend/backend/fast/attention/attention_work.h"
#include "attend/backend/fast/fast_backend.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "attend/backend/fast/attention/attention.cpp"
#include "attend/backend/fast/targets.h"
// must come between the two
#include "hwy/foreach_target.h"

#include "attend/backend/fast/attention/attention_scores-inl.h"
#include "attend/backend/fast/attention/distance_bias-inl.h"
#include "attend/backend/fast/exp-inl.h"
#include "hwy/contrib/math/math-inl.h"

HWY_BEFORE_NAMESPACE();
namespace attend {
namespace HWY_NAMESPACE {

// The running softmax of each query of a block over the keys visited so far (Milakov & Gimelshein
// 2018): the largest score and the sum of exp(score - largest). A new tile scales earlier sums by
// `keep`; the final result is scaled by `factor`.
struct RunningSoftmax {
  float* largest;
  float* sum;
  float* keep;
  float* factor;
};

struct ForwardScratch {
  float* q_transposed;
  float* scores;
  float* paired;     // a tile of keys or values as pairs of bf16; null: products are of floats
  float* factors;    // null without dropout
  float* diagonals;  // biases by distance, or null
  RunningSoftmax running;
};

// Sets the scores of masked keys to -infinity, in rows where the queries of one vector differ, and
// returns the largest scores so far.
HWY_INLINE FloatVector mask_and_max(const AttentionTile& tile, std::ptrdiff_t n,
                                    FloatVector largest, float* scores) {
  const Floats d;
  const auto forbidden = hn::Set(d, -__builtin_inff());
  const SeenRows rows = seen_rows(tile, n);
  const auto mask = [&](std::ptrdiff_t begin, std::ptrdiff_t end) HWY_ATTR {
    for (std::ptrdiff_t j = begin; j < end; ++j) {
      float* at = scores + j * tile.stride + n;
      const auto score = hn::IfThenElse(blind_lanes(tile, j, n), forbidden, hn::LoadU(d, at));
      hn::StoreU(score, d, at);
      largest = hn::Max(largest, score);
    }
  };
  mask(rows.begin, rows.inner_begin);
  for (std::ptrdiff_t j = rows.inner_begin; j < rows.inner_end; ++j)
    largest = hn::Max(largest, hn::LoadU(d, scores + j * tile.stride + n));
  mask(rows.inner_end, rows.end);
  return largest;
}

// The largest scores as subtrahend of an exponent: 0 for a query without keys, to avoid NaN from
// infinity - infinity.
HWY_INLINE FloatVector finite_largest(FloatVector largest) {
  const Floats d;
  return hn::IfThenZeroElse(hn::Eq(largest, hn::Set(d, -__builtin_inff())), largest);
}

// scores -> exp(scores - largest) * dropout factors, for the vector of queries at column n.
// `factors` may be null.
HWY_INLINE void softmax_tile_column(const AttentionTile& tile, std::ptrdiff_t n,
                                    const float* factors, const RunningSoftmax& running,
                                    float* scores) {
  const Floats d;
  const auto before = hn::LoadU(d, running.largest + n);
  const auto largest = mask_and_max(tile, n, before, scores);
  const auto shift = finite_largest(largest);
  const SeenRows seen = seen_rows(tile, n);
  auto sum = hn::Zero(d);
  float* at = scores + n;
  for (std::ptrdiff_t j = 0; j < seen.begin; ++j, at += tile.stride) hn::StoreU(hn::Zero(d), d, at);
  if (factors == nullptr) {
    for (std::ptrdiff_t j = seen.begin; j < seen.end; ++j, at += tile.stride) {
      const auto e = exp_of(d, hn::Sub(hn::LoadU(d, at), shift));
      sum = hn::Add(sum, e);
      hn::StoreU(e, d, at);
    }
  } else {
    const float* factor = factors + seen.begin * tile.stride + n;
    for (std::ptrdiff_t j = seen.begin; j < seen.end;
         ++j, at += tile.stride, factor += tile.stride) {
      const auto e = exp_of(d, hn::Sub(hn::LoadU(d, at), shift));
      sum = hn::Add(sum, e);
      hn::StoreU(hn::Mul(e, hn::LoadU(d, factor)), d, at);
    }
  }
  for (std::ptrdiff_t j = seen.end; j < tile.keys(); ++j, at += tile.stride)
    hn::StoreU(hn::Zero(d), d, at);
  const auto keep = exp_of(d, hn::Sub(before, shift));
  hn::StoreU(largest, d, running.largest + n);
  hn::StoreU(keep, d, running.keep + n);
  hn::StoreU(hn::MulAdd(keep, hn::LoadU(d, running.sum + n), sum), d, running.sum + n);
}

// factor = 1 / sum (0 for a query without keys); sum becomes log sum exp.
HWY_INLINE void finish_softmax(std::ptrdiff_t stride, const RunningSoftmax& running) {
  const Floats d;
  const auto lanes = static_cast<std::ptrdiff_t>(hn::Lanes(d));
  for (std::ptrdiff_t n = 0; n < stride; n += lanes) {
    const auto sum = hn::LoadU(d, running.sum + n);
    const auto none = hn::Eq(sum, hn::Zero(d));
    hn::StoreU(hn::IfThenZeroElse(none, hn::Div(hn::Set(d, 1.0f), sum)), d, running.factor + n);
    const auto log =
        hn::Add(hn::LoadU(d, running.largest + n), hn::Log(d, hn::Max(hn::Set(d, 1e-38f), sum)));
    // Log() does not keep NaN, nor does Max() on some processors.
    const auto valid = hn::IfThenElse(hn::IsNaN(sum), sum, log);
    hn::StoreU(hn::IfThenElse(none, hn::Set(d, -__builtin_inff()), valid), d, running.sum + n);
  }
}

// The weights of the queries of `block` before dropout, recomputed tile by tile.
HWY_NOINLINE void write_weights(const AttentionCall& call, const AttentionUnit& unit,
                                const AttentionTile& block, const ForwardScratch& scratch) {
  const auto& [q_transposed, scores, paired, factors, diagonals, running] = scratch;
  const Floats d;
  const auto lanes = static_cast<std::ptrdiff_t>(hn::Lanes(d));
  float* const first = call.weights + unit.block * call.heads +
                       (unit.head * unit.queries + block.query_begin) * unit.keys;
  for (std::ptrdiff_t i = 0; i < block.queries() * unit.keys; ++i) first[i] = 0.0f;
  AttentionTile tile = block;
  for (; tile.key_begin < block.key_end; tile.key_begin += kKeyTile) {
    tile.key_end = HWY_MIN(block.key_end, tile.key_begin + kKeyTile);
    const StridedRows k{call.k.at(unit.key_row + tile.key_begin, unit.head * call.width),
                        call.k.stride};
    tile_product(tile, k, q_transposed, call.width, paired, scores);
    if (call.cap > 0.0f) cap_scores(tile, call.cap, nullptr, scores);
    if (call.bias != nullptr) add_tile_bias(tile, call.bias + unit.block, unit.keys, scores);
    if (diagonals != nullptr) add_diagonals(tile, unit, diagonals, scores);
    for (std::ptrdiff_t n = 0; n < tile.stride; n += lanes) {
      const auto shift = finite_largest(hn::LoadU(d, running.largest + n));
      const auto factor = hn::LoadU(d, running.factor + n);
      const SeenRows seen = seen_rows(tile, n);
      for (std::ptrdiff_t j = seen.begin; j < seen.end; ++j) {
        float* at = scores + j * tile.stride + n;
        hn::StoreU(hn::Mul(factor, exp_of(d, hn::Sub(hn::LoadU(d, at), shift))), d, at);
      }
    }
    for (std::ptrdiff_t i = 0; i < tile.queries(); ++i) {
      for (std::ptrdiff_t j = tile.hidden(i); j < tile.seen(i); ++j)
        first[i * unit.keys + tile.key_begin + j] = scores[j * tile.stride + i];
    }
  }
}

HWY_INLINE void attention_block(const AttentionCall& call, const AttentionUnit& unit,
                                const AttentionTile& block, const ForwardScratch& scratch,
                                const Prefetch& prefetch) {
  const std::ptrdiff_t query_row = unit.query_row + block.query_begin;
  const std::ptrdiff_t value_column = unit.head * call.value_width;
  const StridedRows q{call.q.at(query_row, unit.head * call.width), call.q.stride};
  float* const out = call.out.at(query_row, value_column);
  transpose_queries(block, q, call.width, call.scale, scratch.paired != nullptr,
                    scratch.q_transposed);
  for (std::ptrdiff_t i = 0; i < block.stride; ++i) {
    scratch.running.largest[i] = -__builtin_inff();
    scratch.running.sum[i] = 0.0f;
  }

  AttentionTile tile = block;
  for (; tile.is_first() || tile.key_begin < block.key_end; tile.key_begin += kKeyTile) {
    tile.key_end = HWY_MIN(block.key_end, tile.key_begin + kKeyTile);
    const std::ptrdiff_t key_row = unit.key_row + tile.key_begin;
    const Prefetch fetch = tile.is_first() ? prefetch : Prefetch(nullptr, 0, 1);
    fetch.queries(call.q, call.width);
    tile_product(tile, {call.k.at(key_row, unit.head * call.width), call.k.stride},
                 scratch.q_transposed, call.width, scratch.paired, scratch.scores);
    if (call.cap > 0.0f) cap_scores(tile, call.cap, nullptr, scratch.scores);
    fetch.keys(call.k, call.width);
    if (call.bias != nullptr)
      add_tile_bias(tile, call.bias + unit.block, unit.keys, scratch.scores);
    if (scratch.diagonals != nullptr) add_diagonals(tile, unit, scratch.diagonals, scratch.scores);
    if (scratch.factors != nullptr) draw_tile_dropout(call, unit, tile, scratch.factors);
    const auto lanes = static_cast<std::ptrdiff_t>(hn::Lanes(Floats()));
    for (std::ptrdiff_t n = 0; n < tile.stride; n += lanes)
      softmax_tile_column(tile, n, scratch.factors, scratch.running, scratch.scores);
    fetch.keys(call.v, call.value_width);
    const bool last = tile.key_end == block.key_end;
    if (last) finish_softmax(tile.stride, scratch.running);

    SmallProduct product =
        sums_of_keys(call, tile, scratch.scores, {call.v.at(key_row, value_column), call.v.stride},
                     call.value_width, {out, call.out.stride});
    product.accumulate = !tile.is_first();
    product.keep = scratch.running.keep;
    product.factor = last ? scratch.running.factor : nullptr;
    if (scratch.paired != nullptr) pair_operands(product, scratch.scores, scratch.paired);
    small_product(product);
    fetch.queries(call.out, call.value_width);
  }
}

void attention_unit(const AttentionCall& call, const AttentionUnit& unit,
                    const AttentionUnit* next) {
  const bool drops = call.drop_threshold > 0;
  const std::ptrdiff_t queries_width = call.width * kQueryBlock;
  const std::ptrdiff_t tile_size = kKeyTile * kQueryBlock;
  const bool biased = call.distance_bias.data != nullptr;
  float* at =
      attention_scratch(static_cast<std::size_t>(queries_width + 2 * tile_size + 4 * kQueryBlock +
                                                 paired_tile_floats(call)) +
                        (biased ? diagonal_floats(unit) : 0));
  ForwardScratch scratch;
  scratch.running = {at, at + kQueryBlock, at + 2 * kQueryBlock, at + 3 * kQueryBlock};
  scratch.q_transposed = at + 4 * kQueryBlock;
  scratch.scores = scratch.q_transposed + queries_width;
  float* const paired = scratch.scores + 2 * tile_size;
  scratch.paired = multiplies_pairs(call, unit) ? paired : nullptr;
  scratch.factors = drops ? scratch.scores + tile_size : nullptr;
  scratch.diagonals = biased ? paired + paired_tile_floats(call) : nullptr;
  if (biased) load_diagonals(call, unit, scratch.diagonals);

  const std::ptrdiff_t blocks = (unit.query_end - unit.query_begin + kQueryBlock - 1) / kQueryBlock;
  for (std::ptrdiff_t b = 0; b < blocks; ++b) {
    const std::ptrdiff_t begin = unit.query_begin + b * kQueryBlock;
    const AttentionTile block = block_of(call, unit, begin);
    attention_block(call, unit, block, scratch, Prefetch(next, b, blocks));
    if (call.log_sum_exp.data != nullptr) {
      for (std::ptrdiff_t i = 0; i < block.queries(); ++i) {
        *call.log_sum_exp.at(unit.query_row + begin + i, unit.head) = scratch.running.sum[i];
      }
    }
    if (call.weights != nullptr) write_weights(call, unit, block, scratch);
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace attend
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace attend {

HWY_EXPORT(attention_unit);

void FastBackend::attention(const AttentionOperands& x, const AttentionLayout& layout,
                            const Tensor& out, const Tensor& log_sum_exp, const Tensor& weights) {
  assert(x.q.cols() == x.k.cols() && x.v.cols() == out.cols());
  AttentionCall call = describe_attention(x, layout, out);
  if (log_sum_exp.defined()) call.log_sum_exp = rows_of(log_sum_exp);
  if (weights.defined()) call.weights = weights.data();
  for_attention_units(layout, call.width + call.value_width, kQueriesPerUnit,
                      [&call](const AttentionUnit& unit, const AttentionUnit* next) {
                        HWY_DYNAMIC_DISPATCH(attention_unit)(call, unit, next);
                      });
}

}  // namespace attend
#endif
