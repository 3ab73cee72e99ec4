// fill, add, multiply, axpby, convert, activate, activate_backward.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "attend/backend/fast/rows/elementwise.cpp"
#include "attend/backend/fast/targets.h"
// must come between the two
#include "hwy/foreach_target.h"

#include "attend/backend/backend.h"
#include "attend/backend/fast/activation-inl.h"
#include "attend/backend/fast/gemm/gemm_bf16-inl.h"
#include "attend/backend/fast/simd-inl.h"

HWY_BEFORE_NAMESPACE();
namespace attend {
namespace HWY_NAMESPACE {

void fill_run(float value, float* x, std::size_t count) {
  const auto filling = hn::Set(Floats(), value);
  map_row(x, x, count, [&](FloatVector) HWY_ATTR { return filling; });
}

void add_run(const float* a, const float* b, float* y, std::size_t count) {
  map_rows(a, b, y, count, [](FloatVector s, FloatVector t) HWY_ATTR { return hn::Add(s, t); });
}

void multiply_run(const float* a, const float* b, float* y, std::size_t count) {
  map_rows(a, b, y, count, [](FloatVector s, FloatVector t) HWY_ATTR { return hn::Mul(s, t); });
}

void axpby_run(float alpha, const float* x, float beta, float* y, std::size_t count) {
  const auto va = hn::Set(Floats(), alpha);
  const auto vb = hn::Set(Floats(), beta);
  if (beta == 0.0f)
    return map_row(x, y, count, [&](FloatVector v) HWY_ATTR { return hn::Mul(va, v); });
  map_rows(x, y, y, count, [&](FloatVector v, FloatVector w) HWY_ATTR {
    return hn::MulAdd(va, v, hn::Mul(vb, w));
  });
}

void narrow_run(const float* x, std::uint16_t* y, std::size_t count) {
  const Floats d;
  const hn::Rebind<std::uint16_t, Floats> halves;
  const hn::RebindToSigned<Floats> integers;
  const std::size_t lanes = hn::Lanes(d);
  const auto upper = [&](FloatVector v) HWY_ATTR {
    return hn::DemoteTo(halves, hn::BitCast(integers, hn::ShiftRight<16>(round_to_bf16(v))));
  };
  std::size_t i = 0;
  for (; i + lanes <= count; i += lanes) hn::StoreU(upper(hn::LoadU(d, x + i)), halves, y + i);
  if (i == count) return;
  HWY_ALIGN std::uint16_t last[hn::MaxLanes(halves)];
  hn::Store(upper(load_part(d, x + i, count - i)), halves, last);
  for (std::size_t n = 0; i + n < count; ++n) y[i + n] = last[n];
}

void widen_run(const std::uint16_t* x, float* y, std::size_t count) {
  const Floats d;
  const hn::Rebind<std::uint16_t, Floats> halves;
  const hn::RebindToUnsigned<Floats> bits;
  const std::size_t lanes = hn::Lanes(d);
  std::size_t i = 0;
  for (; i + lanes <= count; i += lanes)
    hn::StoreU(hn::BitCast(d, hn::ShiftLeft<16>(hn::PromoteTo(bits, hn::LoadU(halves, x + i)))), d,
               y + i);
  for (; i < count; ++i) {
    const std::uint32_t of_last = std::uint32_t{x[i]} << 16;
    __builtin_memcpy(y + i, &of_last, sizeof of_last);
  }
}

void activate_run(Activation activation, const float* x, float* y, std::size_t count) {
  with_activation(activation,
                  [&](const auto& function) HWY_ATTR { map_row(x, y, count, function); });
}

void activate_backward_run(Activation activation, const float* x, const float* dy, float* dx,
                           std::size_t count) {
  with_activation_gradient(
      activation, [&](const auto& function) HWY_ATTR { map_rows(x, dy, dx, count, function); });
}

}  // namespace HWY_NAMESPACE
}  // namespace attend
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
#include "attend/backend/fast/fast_backend.h"
#include "attend/backend/fast/rows/runs.h"

namespace attend {

HWY_EXPORT(add_run);
HWY_EXPORT(multiply_run);
HWY_EXPORT(axpby_run);
HWY_EXPORT(narrow_run);
HWY_EXPORT(widen_run);
HWY_EXPORT(activate_run);
HWY_EXPORT(activate_backward_run);

void FastBackend::add(const Tensor& a, const Tensor& b, const Tensor& y) {
  const auto kernel = HWY_DYNAMIC_DISPATCH(add_run);
  for_runs({&a, &b, &y}, [&](auto row, auto column, auto count) {
    kernel(a.row(row) + column, b.row(row) + column, y.row(row) + column, count);
  });
}

void FastBackend::multiply(const Tensor& a, const Tensor& b, const Tensor& y) {
  const auto kernel = HWY_DYNAMIC_DISPATCH(multiply_run);
  for_runs({&a, &b, &y}, [&](auto row, auto column, auto count) {
    kernel(a.row(row) + column, b.row(row) + column, y.row(row) + column, count);
  });
}

void FastBackend::axpby(float alpha, const Tensor& x, float beta, const Tensor& y) {
  const auto kernel = HWY_DYNAMIC_DISPATCH(axpby_run);
  for_runs({&x, &y}, [&](auto row, auto column, auto count) {
    kernel(alpha, x.row(row) + column, beta, y.row(row) + column, count);
  });
}

void FastBackend::convert(const Tensor& x, const Tensor& y) {
  if (y.dtype() == DType::bf16) {
    const auto kernel = HWY_DYNAMIC_DISPATCH(narrow_run);
    for_runs({&x, &y}, [&](auto row, auto column, auto count) {
      kernel(x.row(row) + column, y.row<std::uint16_t>(row) + column, count);
    });
  } else {
    const auto kernel = HWY_DYNAMIC_DISPATCH(widen_run);
    for_runs({&x, &y}, [&](auto row, auto column, auto count) {
      kernel(x.row<std::uint16_t>(row) + column, y.row(row) + column, count);
    });
  }
}

void FastBackend::activate(Activation activation, const Tensor& x, const Tensor& y) {
  const auto kernel = HWY_DYNAMIC_DISPATCH(activate_run);
  for_runs({&x, &y}, [&](auto row, auto column, auto count) {
    kernel(activation, x.row(row) + column, y.row(row) + column, count);
  });
}

void FastBackend::activate_backward(Activation activation, const Tensor& x, const Tensor& dy,
                                    const Tensor& dx) {
  const auto kernel = HWY_DYNAMIC_DISPATCH(activate_backward_run);
  for_runs({&x, &dy, &dx}, [&](auto row, auto column, auto count) {
    kernel(activation, x.row(row) + column, dy.row(row) + column, dx.row(row) + column, count);
  });
}

}  // namespace attend
#endif
