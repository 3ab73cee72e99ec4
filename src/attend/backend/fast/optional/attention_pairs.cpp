// Attention in parts: GEMMs, softmax and arg max of query-key pairs. A unit of work is one head of
// one sequence.
#include <cassert>

#include "attend/backend/cpu/attention_sequences.h"
#include "attend/backend/fast/fast_backend.h"
#include "attend/backend/fast/optional/attention_pairs.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "attend/backend/fast/optional/attention_pairs.cpp"
#include "attend/backend/fast/targets.h"
// must come between the two
#include "hwy/foreach_target.h"

#include "attend/backend/fast/exp-inl.h"
#include "attend/backend/fast/gemm/small_product-inl.h"
#include "attend/backend/fast/rows/row_reduction-inl.h"

HWY_BEFORE_NAMESPACE();
namespace attend {
namespace HWY_NAMESPACE {

// pairs = a b^T. The keys become columns, padded to whole vectors; the result is copied from there.
void pair_products_unit(const AttentionCall& call, const AttentionUnit& unit) {
  if (unit.queries == 0 || unit.keys == 0) return;
  const auto lanes = static_cast<std::ptrdiff_t>(hn::Lanes(Floats()));
  const std::ptrdiff_t stride = (unit.keys + lanes - 1) / lanes * lanes;
  const std::ptrdiff_t queries = unit.query_end - unit.query_begin;
  float* transposed = attention_scratch(static_cast<std::size_t>((call.width + queries) * stride));
  float* products = transposed + call.width * stride;
  small_transpose({call.k.at(unit.key_row, unit.head * call.width), call.k.stride}, unit.keys,
                  call.width, 1.0f, transposed, stride);
  const float* q = call.q.at(unit.query_row + unit.query_begin, unit.head * call.width);
  small_product(
      {queries, stride, call.width, q, call.q.stride, 1, transposed, stride, products, stride});
  float* to = call.weights + pairs_begin(call, unit) + unit.query_begin * unit.keys;
  for (std::ptrdiff_t i = 0; i < queries; ++i, to += unit.keys) {
    for (std::ptrdiff_t j = 0; j < unit.keys; ++j) to[j] = products[i * stride + j];
  }
}

// out = pairs v, added to the old out if accumulating.
void pair_sums_unit(const AttentionCall& call, const AttentionUnit& unit, bool accumulate) {
  const float* pairs = call.weights + pairs_begin(call, unit) + unit.query_begin * unit.keys;
  float* out = call.out.at(unit.query_row + unit.query_begin, unit.head * call.width);
  SmallProduct product{unit.query_end - unit.query_begin,
                       call.width,
                       unit.keys,
                       pairs,
                       unit.keys,
                       1,
                       call.v.at(unit.key_row, unit.head * call.width),
                       call.v.stride,
                       out,
                       call.out.stride};
  product.accumulate = accumulate;
  product.zeros_hide = true;
  if (product.rows > 0) small_product(product);
}

// out = pairs^T q, added to the old out if accumulating.
void pair_sums_by_key_unit(const AttentionCall& call, const AttentionUnit& unit, bool accumulate) {
  SmallProduct product{unit.keys,
                       call.width,
                       unit.queries,
                       call.weights + pairs_begin(call, unit),
                       1,
                       unit.keys,
                       call.q.at(unit.query_row, unit.head * call.width),
                       call.q.stride,
                       call.out.at(unit.key_row, unit.head * call.width),
                       call.out.stride};
  product.accumulate = accumulate;
  product.zeros_hide = true;
  if (product.rows > 0) small_product(product);
}

// to = softmax(scale * from + bias) over the visible keys, 0 for the others. bias may be null.
void pair_softmax_row(const PairRow& row) {
  const Floats d;
  const auto scale = hn::Set(d, row.scale);
  const std::size_t seen = row.end - row.begin;
  const float* const from = row.from + row.begin;
  float* const to = row.to + row.begin;
  if (row.bias == nullptr) {
    map_row(from, to, seen, [scale](auto s) HWY_ATTR { return hn::Mul(scale, s); });
  } else {
    map_rows(from, row.bias + row.begin, to, seen,
             [scale](auto s, auto b) HWY_ATTR { return hn::Add(hn::Mul(scale, s), b); });
  }
  const float max = row_max(to, seen);
  const auto shift = hn::Set(d, max == -__builtin_inff() ? 0.0f : max);
  map_row(to, to, seen, [shift](auto s) HWY_ATTR { return exp_of(Floats(), hn::Sub(s, shift)); });
  const float sum = row_sum(to, seen, [](auto e) HWY_ATTR { return e; });
  const auto factor = hn::Set(d, sum == 0.0f ? 0.0f : 1.0f / sum);
  map_row(to, to, seen, [factor](auto e) HWY_ATTR { return hn::Mul(e, factor); });
  for (std::size_t j = 0; j < row.begin; ++j) row.to[j] = 0.0f;
  for (std::size_t j = row.end; j < row.count; ++j) row.to[j] = 0.0f;
}

// to = scale * from * (gradient - sum from gradient)
void pair_softmax_backward_row(const PairRow& row, const float* gradient) {
  const auto mean = hn::Set(Floats(), row_dot(row.from, gradient, row.count));
  const auto scale = hn::Set(Floats(), row.scale);
  map_rows(row.from, gradient, row.to, row.count, [mean, scale](auto w, auto dw) HWY_ATTR {
    return hn::Mul(hn::Mul(scale, w), hn::Sub(dw, mean));
  });
}

}  // namespace HWY_NAMESPACE
}  // namespace attend
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
#include <algorithm>
#include <cmath>
#include <limits>

namespace attend {

HWY_EXPORT(pair_products_unit);
HWY_EXPORT(pair_sums_unit);
HWY_EXPORT(pair_sums_by_key_unit);
HWY_EXPORT(pair_softmax_row);
HWY_EXPORT(pair_softmax_backward_row);

namespace {

// A call whose matrices [., H*Dh] have the same head width.
AttentionCall describe_pairs(const Tensor& pairs, const AttentionLayout& layout,
                             std::int64_t columns) {
  AttentionCall call;
  call.weights = pairs.data();
  call.heads = layout.heads;
  call.width = columns / layout.heads;
  return call;
}

// visit(row, begin) for every query; `begin` is the position of its row in a tensor of pairs.
template <class Visit>
void for_pair_rows(const Tensor& from, const Tensor& to, const AttentionLayout& layout,
                   const Visit& visit) {
  const AttentionCall call = describe_pairs(to, layout, layout.heads);
  const float* const bias = layout.bias.defined() ? layout.bias.data() : nullptr;
  const auto visit_unit = [&](const AttentionUnit& unit, const AttentionUnit*) {
    for (std::ptrdiff_t i = unit.query_begin; i < unit.query_end; ++i) {
      const std::ptrdiff_t begin = pairs_begin(call, unit) + i * unit.keys;
      const VisibleKeys seen = visible_keys(layout, i, unit.queries, unit.keys);
      PairRow row;
      row.from = from.data() + begin;
      row.to = call.weights + begin;
      row.bias = bias == nullptr ? nullptr : bias + unit.block + i * unit.keys;
      row.scale = layout.scale;
      row.begin = static_cast<std::size_t>(seen.begin);
      row.end = static_cast<std::size_t>(seen.end);
      row.count = static_cast<std::size_t>(unit.keys);
      visit(row, begin);
    }
  };
  for_attention_units(layout, 1, kQueriesPerUnit, visit_unit);
}

void arg_max_row(const PairRow& row) {
  std::size_t best = row.count;
  float largest = -std::numeric_limits<float>::infinity();
  bool invalid = false;
  for (std::size_t j = row.begin; j < row.end; ++j) {
    const float scaled = row.scale * row.from[j];
    const float score = row.bias == nullptr ? scaled : scaled + row.bias[j];
    invalid = invalid || std::isnan(score);
    if (score > largest) {
      largest = score;
      best = j;
    }
  }
  std::fill(row.to, row.to + row.count, invalid ? std::numeric_limits<float>::quiet_NaN() : 0.0f);
  if (!invalid && best < row.count) row.to[best] = 1.0f;
}

}  // namespace

void FastBackend::attention_scores(const Tensor& a, const Tensor& b, const AttentionLayout& layout,
                                   const Tensor& pairs) {
  assert(a.cols() == b.cols());
  AttentionCall call = describe_pairs(pairs, layout, a.cols());
  call.q = rows_of(a);
  call.k = rows_of(b);
  for_attention_units(layout, call.width, kQueriesPerUnit,
                      [&call](const AttentionUnit& unit, const AttentionUnit*) {
                        HWY_DYNAMIC_DISPATCH(pair_products_unit)(call, unit);
                      });
}

void FastBackend::apply_attention(const Tensor& pairs, const Tensor& b,
                                  const AttentionLayout& layout, float beta, const Tensor& y) {
  assert(b.cols() == y.cols());
  AttentionCall call = describe_pairs(pairs, layout, b.cols());
  call.v = rows_of(b);
  call.out = rows_of(y);
  for_attention_units(layout, call.width, kQueriesPerUnit,
                      [&call, beta](const AttentionUnit& unit, const AttentionUnit*) {
                        HWY_DYNAMIC_DISPATCH(pair_sums_unit)(call, unit, beta != 0.0f);
                      });
}

void FastBackend::apply_attention_transposed(const Tensor& pairs, const Tensor& a,
                                             const AttentionLayout& layout, float beta,
                                             const Tensor& y) {
  assert(a.cols() == y.cols());
  AttentionCall call = describe_pairs(pairs, layout, a.cols());
  call.q = rows_of(a);
  call.out = rows_of(y);
  for_attention_units(layout, call.width, kWholeSequence,
                      [&call, beta](const AttentionUnit& unit, const AttentionUnit*) {
                        HWY_DYNAMIC_DISPATCH(pair_sums_by_key_unit)(call, unit, beta != 0.0f);
                      });
}

void FastBackend::pair_softmax(const Tensor& scores, const AttentionLayout& layout,
                               const Tensor& weights) {
  for_pair_rows(scores, weights, layout, [](const PairRow& row, std::ptrdiff_t) {
    HWY_DYNAMIC_DISPATCH(pair_softmax_row)(row);
  });
}

void FastBackend::pair_softmax_backward(const Tensor& weights, const Tensor& dweights,
                                        const AttentionLayout& layout, const Tensor& dscores) {
  for_pair_rows(weights, dscores, layout, [&](const PairRow& row, std::ptrdiff_t begin) {
    HWY_DYNAMIC_DISPATCH(pair_softmax_backward_row)(row, dweights.data() + begin);
  });
}

void FastBackend::attention_argmax(const Tensor& scores, const AttentionLayout& layout,
                                   const Tensor& weights) {
  for_pair_rows(scores, weights, layout,
                [](const PairRow& row, std::ptrdiff_t) { arg_max_row(row); });
}

}  // namespace attend
#endif
