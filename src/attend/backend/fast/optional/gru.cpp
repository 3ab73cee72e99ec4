// gru_cell, gru_cell_backward: one pass over a row of states.
#include <cassert>

#include "attend/backend/fast/fast_backend.h"
#include "attend/backend/fast/optional/gru.h"
#include "attend/backend/fast/rows/runs.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "attend/backend/fast/optional/gru.cpp"
#include "attend/backend/fast/targets.h"
// must come between the two
#include "hwy/foreach_target.h"

#include "attend/backend/fast/activation-inl.h"
#include "attend/backend/fast/rows/row_reduction-inl.h"

HWY_BEFORE_NAMESPACE();
namespace attend {
namespace HWY_NAMESPACE {

// x, s and gates hold r, z and n, `width` floats each. gates may be null.
void gru_cell_row(const float* x, const float* s, const float* h, float* y, float* gates,
                  std::size_t width) {
  const Floats d;
  for (std::size_t i = 0; i < width; i += hn::Lanes(d)) {
    const std::size_t left = width - i;
    const auto sum = [&](std::size_t gate) HWY_ATTR {
      return hn::Add(load_up_to(x + gate * width + i, left),
                     load_up_to(s + gate * width + i, left));
    };
    const auto r = sigmoid(sum(0));
    const auto z = sigmoid(sum(1));
    const auto n = tanh_of(
        hn::MulAdd(r, load_up_to(s + 2 * width + i, left), load_up_to(x + 2 * width + i, left)));
    store_up_to(hn::MulAdd(z, hn::Sub(load_up_to(h + i, left), n), n), y + i, left);
    if (gates == nullptr) continue;
    store_up_to(r, gates + i, left);
    store_up_to(z, gates + width + i, left);
    store_up_to(n, gates + 2 * width + i, left);
  }
}

void gru_cell_backward_row(const GruGradientRow& row, std::size_t width) {
  const Floats d;
  const auto one = hn::Set(d, 1.0f);
  for (std::size_t i = 0; i < width; i += hn::Lanes(d)) {
    const std::size_t left = width - i;
    const auto r = load_up_to(row.gates + i, left);
    const auto z = load_up_to(row.gates + width + i, left);
    const auto n = load_up_to(row.gates + 2 * width + i, left);
    const auto dy = load_up_to(row.dy + i, left);
    const auto dx_n = hn::Mul(hn::Mul(dy, hn::Sub(one, z)), hn::NegMulAdd(n, n, one));
    const auto dr =
        hn::Mul(hn::Mul(dx_n, load_up_to(row.s + 2 * width + i, left)), hn::NegMulAdd(r, r, r));
    const auto dz =
        hn::Mul(hn::Mul(dy, hn::Sub(load_up_to(row.h + i, left), n)), hn::NegMulAdd(z, z, z));
    store_up_to(dr, row.dx + i, left);
    store_up_to(dr, row.ds + i, left);
    store_up_to(dz, row.dx + width + i, left);
    store_up_to(dz, row.ds + width + i, left);
    store_up_to(dx_n, row.dx + 2 * width + i, left);
    store_up_to(hn::Mul(r, dx_n), row.ds + 2 * width + i, left);
    store_up_to(hn::Mul(dy, z), row.dh + i, left);
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace attend
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace attend {

HWY_EXPORT(gru_cell_row);
HWY_EXPORT(gru_cell_backward_row);

void FastBackend::gru_cell(const Tensor& x, const Tensor& s, const Tensor& h, const Tensor& y,
                           const Tensor& gates) {
  assert(x.cols() == 3 * h.cols() && s.cols() == 3 * h.cols() && y.cols() == h.cols());
  const auto width = static_cast<std::size_t>(h.cols());
  const bool keep = gates.defined();
  parallel_for(h.rows(), row_grain(3 * h.cols()), [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t r = begin; r < end; ++r) HWY_DYNAMIC_DISPATCH(gru_cell_row)
    (x.row(r), s.row(r), h.row(r), y.row(r), keep ? gates.row(r) : nullptr, width);
  });
}

void FastBackend::gru_cell_backward(const Tensor& gates, const Tensor& s, const Tensor& h,
                                    const Tensor& dy, const Tensor& dx, const Tensor& ds,
                                    const Tensor& dh) {
  const auto width = static_cast<std::size_t>(h.cols());
  parallel_for(h.rows(), row_grain(3 * h.cols()), [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t r = begin; r < end; ++r) {
      const GruGradientRow row{gates.row(r), s.row(r),  h.row(r), dy.row(r),
                               dx.row(r),    ds.row(r), dh.row(r)};
      HWY_DYNAMIC_DISPATCH(gru_cell_backward_row)(row, width);
    }
  });
}

}  // namespace attend
#endif
