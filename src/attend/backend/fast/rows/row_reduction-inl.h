// Maxima and sums of one row, compiled once per instruction set. Four accumulators hide the latency
// of additions; the order of a sum depends only on the length.
#if defined(ATTEND_BACKEND_FAST_ROW_REDUCTION_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef ATTEND_BACKEND_FAST_ROW_REDUCTION_INL_H
#undef ATTEND_BACKEND_FAST_ROW_REDUCTION_INL_H
#else
#define ATTEND_BACKEND_FAST_ROW_REDUCTION_INL_H
#endif

#include "attend/backend/fast/simd-inl.h"

HWY_BEFORE_NAMESPACE();
namespace attend {
namespace HWY_NAMESPACE {

// Folds load(i, left) over a row with `combine`, from `identity`; `left` >= 1 elements remain at i,
// and lanes past the end count as `identity`.
template <class Load, class Combine>
HWY_INLINE FloatVector fold_row(std::size_t count, FloatVector identity, const Load& load,
                                const Combine& combine) {
  const Floats d;
  const std::size_t lanes = hn::Lanes(d);
  auto a = identity, b = identity, c = identity, e = identity;
  std::size_t i = 0;
  for (; i + 4 * lanes <= count; i += 4 * lanes) {
    a = combine(a, load(i, lanes));
    b = combine(b, load(i + lanes, lanes));
    c = combine(c, load(i + 2 * lanes, lanes));
    e = combine(e, load(i + 3 * lanes, lanes));
  }
  for (; i + lanes <= count; i += lanes) a = combine(a, load(i, lanes));
  if (i < count)
    b = combine(b, hn::IfThenElse(hn::FirstN(d, count - i), load(i, count - i), identity));
  return combine(combine(a, b), combine(c, e));
}

// The vector at `from`, or its first `left` elements if fewer remain.
HWY_INLINE FloatVector load_up_to(const float* from, std::size_t left) {
  const Floats d;
  return HWY_LIKELY(left >= hn::Lanes(d)) ? hn::LoadU(d, from) : load_part(d, from, left);
}

// Stores the vector, or its first `left` elements.
HWY_INLINE void store_up_to(FloatVector value, float* to, std::size_t left) {
  const Floats d;
  if (HWY_LIKELY(left >= hn::Lanes(d))) {
    hn::StoreU(value, d, to);
  } else {
    store_part(value, d, to, left);
  }
}

HWY_INLINE float row_max(const float* x, std::size_t count) {
  const Floats d;
  const auto identity = hn::Set(d, -__builtin_inff());
  const auto load = [x](std::size_t i, std::size_t left)
                        HWY_ATTR { return load_up_to(x + i, left); };
  const auto combine = [](auto a, auto b) HWY_ATTR { return hn::Max(a, b); };
  return hn::GetLane(hn::MaxOfLanes(d, fold_row(count, identity, load, combine)));
}

HWY_INLINE float row_min(const float* x, std::size_t count) {
  const Floats d;
  const auto identity = hn::Set(d, __builtin_inff());
  const auto load = [x](std::size_t i, std::size_t left)
                        HWY_ATTR { return load_up_to(x + i, left); };
  const auto combine = [](auto a, auto b) HWY_ATTR { return hn::Min(a, b); };
  return hn::GetLane(hn::MinOfLanes(d, fold_row(count, identity, load, combine)));
}

// sum_i term(x[i])
template <class Term>
HWY_INLINE float row_sum(const float* x, std::size_t count, const Term& term) {
  const Floats d;
  const auto load = [x, &term](std::size_t i, std::size_t left)
                        HWY_ATTR { return term(load_up_to(x + i, left)); };
  const auto combine = [](auto a, auto b) HWY_ATTR { return hn::Add(a, b); };
  return hn::GetLane(hn::SumOfLanes(d, fold_row(count, hn::Zero(d), load, combine)));
}

// sum_i a[i] b[i]
HWY_INLINE float row_dot(const float* a, const float* b, std::size_t count) {
  const Floats d;
  const auto load = [a, b](std::size_t i, std::size_t left) HWY_ATTR {
    return hn::Mul(load_up_to(a + i, left), load_up_to(b + i, left));
  };
  const auto combine = [](auto x, auto y) HWY_ATTR { return hn::Add(x, y); };
  return hn::GetLane(hn::SumOfLanes(d, fold_row(count, hn::Zero(d), load, combine)));
}

}  // namespace HWY_NAMESPACE
}  // namespace attend
HWY_AFTER_NAMESPACE();

#endif
