// additive_scores and its gradient. The backward pass recomputes tanh; storing it would take one
// element per pair and column.
#include <cassert>

#include "attend/backend/fast/fast_backend.h"
#include "attend/backend/fast/optional/attention_pairs.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "attend/backend/fast/optional/additive_scores.cpp"
#include "attend/backend/fast/targets.h"
// must come between the two
#include "hwy/foreach_target.h"

#include "attend/backend/fast/activation-inl.h"
#include "attend/backend/fast/rows/row_reduction-inl.h"

HWY_BEFORE_NAMESPACE();
namespace attend {
namespace HWY_NAMESPACE {

// call.v: one row, v. call.weights: the scores.
void additive_scores_unit(const AttentionCall& call, const AttentionUnit& unit) {
  const Floats d;
  const auto width = static_cast<std::size_t>(call.width);
  const float* v = call.v.at(0, unit.head * call.width);
  float* to = call.weights + pairs_begin(call, unit) + unit.query_begin * unit.keys;
  for (std::ptrdiff_t i = unit.query_begin; i < unit.query_end; ++i) {
    const float* q = call.q.at(unit.query_row + i, unit.head * call.width);
    for (std::ptrdiff_t j = 0; j < unit.keys; ++j) {
      const float* k = call.k.at(unit.key_row + j, unit.head * call.width);
      const auto term = [&](std::size_t c, std::size_t left) HWY_ATTR {
        return hn::Mul(load_up_to(v + c, left),
                       tanh_of(hn::Add(load_up_to(q + c, left), load_up_to(k + c, left))));
      };
      const auto sum = [](auto a, auto b) HWY_ATTR { return hn::Add(a, b); };
      *to++ = hn::GetLane(hn::SumOfLanes(d, fold_row(width, hn::Zero(d), term, sum)));
    }
  }
}

// Handles a whole sequence: dk is summed over its queries. call.dv [N, H*Dh] gets one row per
// query.
void additive_scores_backward_unit(const AttentionCall& call, const AttentionUnit& unit,
                                   bool accumulate) {
  const Floats d;
  const auto one = hn::Set(d, 1.0f);
  const float* ds_block = call.weights + pairs_begin(call, unit);
  for (std::ptrdiff_t c = 0; c < call.width; c += static_cast<std::ptrdiff_t>(hn::Lanes(d))) {
    const auto left = static_cast<std::size_t>(call.width - c);
    const std::ptrdiff_t column = unit.head * call.width + c;
    const auto v = load_up_to(call.v.at(0, column), left);
    if (!accumulate) {
      for (std::ptrdiff_t j = 0; j < unit.keys; ++j)
        store_up_to(hn::Zero(d), call.dk.at(unit.key_row + j, column), left);
    }
    for (std::ptrdiff_t i = 0; i < unit.queries; ++i) {
      const auto q = load_up_to(call.q.at(unit.query_row + i, column), left);
      auto query_sum = hn::Zero(d), v_sum = hn::Zero(d);
      for (std::ptrdiff_t j = 0; j < unit.keys; ++j) {
        const auto ds = hn::Set(d, ds_block[i * unit.keys + j]);
        const auto t = tanh_of(hn::Add(q, load_up_to(call.k.at(unit.key_row + j, column), left)));
        const auto through = hn::Mul(hn::Mul(ds, v), hn::NegMulAdd(t, t, one));
        float* dk = call.dk.at(unit.key_row + j, column);
        v_sum = hn::MulAdd(ds, t, v_sum);
        query_sum = hn::Add(query_sum, through);
        store_up_to(hn::Add(load_up_to(dk, left), through), dk, left);
      }
      store_up_to(query_sum, call.dq.at(unit.query_row + i, column), left);
      store_up_to(v_sum, call.dv.at(unit.query_row + i, column), left);
    }
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace attend
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace attend {

HWY_EXPORT(additive_scores_unit);
HWY_EXPORT(additive_scores_backward_unit);

namespace {

constexpr std::ptrdiff_t kTanhCost = 10;  // of a pair and column, in multiply-adds

AttentionCall describe_scores(const Tensor& q, const Tensor& k, const Tensor& v,
                              const AttentionLayout& layout, const Tensor& scores) {
  AttentionCall call;
  call.q = rows_of(q);
  call.k = rows_of(k);
  call.v = rows_of(v);
  call.weights = scores.data();
  call.heads = layout.heads;
  call.width = q.cols() / layout.heads;
  return call;
}

}  // namespace

void FastBackend::additive_scores(const Tensor& q, const Tensor& k, const Tensor& v,
                                  const AttentionLayout& layout, const Tensor& scores) {
  assert(q.cols() == k.cols() && v.size() == q.cols());
  const AttentionCall call = describe_scores(q, k, v, layout, scores);
  for_attention_units(layout, kTanhCost * call.width, kQueriesPerUnit,
                      [&call](const AttentionUnit& unit, const AttentionUnit*) {
                        HWY_DYNAMIC_DISPATCH(additive_scores_unit)(call, unit);
                      });
}

void FastBackend::additive_scores_backward(const Tensor& q, const Tensor& k, const Tensor& v,
                                           const AttentionLayout& layout, const Tensor& dscores,
                                           const Tensor& dq, const Tensor& dv, float beta,
                                           const Tensor& dk) {
  AttentionCall call = describe_scores(q, k, v, layout, dscores);
  call.dq = rows_of(dq);
  call.dk = rows_of(dk);
  call.dv = rows_of(dv);
  for_attention_units(layout, kTanhCost * call.width, kWholeSequence,
                      [&call, beta](const AttentionUnit& unit, const AttentionUnit*) {
                        HWY_DYNAMIC_DISPATCH(additive_scores_backward_unit)
                        (call, unit, beta != 0.0f);
                      });
}

}  // namespace attend
#endif
