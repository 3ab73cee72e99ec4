// ssru, ssru_backward: threads own some columns of some sequences, and go through their rows.
#include <cassert>

#include "attend/backend/fast/fast_backend.h"
#include "attend/backend/fast/optional/ssru.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "attend/backend/fast/optional/ssru.cpp"
#include "attend/backend/fast/targets.h"
// must come between the two
#include "hwy/foreach_target.h"

#include "attend/backend/fast/activation-inl.h"
#include "attend/backend/fast/rows/row_reduction-inl.h"

HWY_BEFORE_NAMESPACE();
namespace attend {
namespace HWY_NAMESPACE {

void ssru_columns(const SsruRows& x, std::size_t columns) {
  const Floats d;
  for (std::size_t i = 0; i < columns; i += hn::Lanes(d)) {
    const std::size_t left = columns - i;
    auto state = x.before == nullptr ? hn::Zero(d) : load_up_to(x.before + i, left);
    for (std::size_t n = 0; n < x.rows; ++n) {
      const auto z = load_up_to(x.z + n * x.z_stride + i, left);
      const auto f = sigmoid(load_up_to(x.g + n * x.g_stride + i, left));
      state = hn::MulAdd(f, hn::Sub(state, z), z);
      store_up_to(state, x.c + n * x.c_stride + i, left);
      if (x.f != nullptr) store_up_to(f, x.f + n * x.f_stride + i, left);
    }
  }
}

void ssru_backward_columns(const SsruGradientRows& x, std::size_t columns) {
  const Floats d;
  const auto one = hn::Set(d, 1.0f);
  for (std::size_t i = 0; i < columns; i += hn::Lanes(d)) {
    const std::size_t left = columns - i;
    auto from_later = hn::Zero(d);
    for (std::size_t n = x.rows; n-- > 0;) {
      const auto f = load_up_to(x.f + n * x.stride + i, left);
      const auto z = load_up_to(x.z + n * x.z_stride + i, left);
      const auto old = n == 0 ? hn::Zero(d) : load_up_to(x.c + (n - 1) * x.stride + i, left);
      const auto slope = hn::Add(load_up_to(x.dc + n * x.dc_stride + i, left), from_later);
      store_up_to(hn::Mul(slope, hn::Sub(one, f)), x.dz + n * x.stride + i, left);
      store_up_to(hn::Mul(hn::Mul(slope, hn::Sub(old, z)), hn::NegMulAdd(f, f, f)),
                  x.dg + n * x.stride + i, left);
      from_later = hn::Mul(slope, f);
    }
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace attend
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
#include <algorithm>

#include "attend/backend/fast/rows/runs.h"
#include "attend/backend/ids_span.h"

namespace attend {

HWY_EXPORT(ssru_columns);
HWY_EXPORT(ssru_backward_columns);

namespace {

constexpr std::int64_t kColumnsOfBlock = 128;

std::size_t stride_of(const Tensor& x) { return static_cast<std::size_t>(x.row_stride()); }

// body(sequence, first row, rows, first column, columns) for parts that threads share.
template <class Body>
void for_column_blocks(const Ids& offsets, std::int64_t columns, const Body& body) {
  const std::span<const std::int32_t> begins = device_span(offsets);
  const auto sequences = static_cast<std::int64_t>(begins.size()) - 1;
  if (sequences < 1 || columns < 1) return;
  const std::int64_t blocks = (columns + kColumnsOfBlock - 1) / kColumnsOfBlock;
  const std::int64_t elements =
      std::max<std::int64_t>(1, begins.back() * std::min(columns, kColumnsOfBlock) / sequences);
  parallel_for(sequences * blocks, std::max<std::int64_t>(1, kGrain / elements),
               [&](std::int64_t begin, std::int64_t end) {
                 for (std::int64_t part = begin; part < end; ++part) {
                   const auto s = static_cast<std::size_t>(part / blocks);
                   const std::int64_t column = part % blocks * kColumnsOfBlock;
                   const auto rows = static_cast<std::size_t>(begins[s + 1] - begins[s]);
                   if (rows > 0)
                     body(part / blocks, std::int64_t{begins[s]}, rows, column,
                          static_cast<std::size_t>(std::min(kColumnsOfBlock, columns - column)));
                 }
               });
}

}  // namespace

void FastBackend::ssru(const Tensor& z, const Tensor& g, const Ids& offsets, const Tensor& before,
                       const Tensor& c, const Tensor& f) {
  assert(z.shape() == g.shape() && z.shape() == c.shape());
  const auto run = HWY_DYNAMIC_DISPATCH(ssru_columns);
  for_column_blocks(offsets, z.cols(),
                    [&](std::int64_t sequence, std::int64_t first, std::size_t rows,
                        std::int64_t column, std::size_t columns) {
                      const float* const state =
                          before.defined() ? before.row(sequence) + column : nullptr;
                      run({.z = z.row(first) + column,
                           .g = g.row(first) + column,
                           .before = state,
                           .c = c.row(first) + column,
                           .f = f.defined() ? f.row(first) + column : nullptr,
                           .z_stride = stride_of(z),
                           .g_stride = stride_of(g),
                           .c_stride = stride_of(c),
                           .f_stride = f.defined() ? stride_of(f) : 0,
                           .rows = rows},
                          columns);
                    });
}

void FastBackend::ssru_backward(const Tensor& z, const Tensor& f, const Ids& offsets,
                                const Tensor& c, const Tensor& dc, const Tensor& dz,
                                const Tensor& dg) {
  const auto run = HWY_DYNAMIC_DISPATCH(ssru_backward_columns);
  for_column_blocks(offsets, z.cols(),
                    [&](std::int64_t, std::int64_t first, std::size_t rows, std::int64_t column,
                        std::size_t columns) {
                      run({.z = z.row(first) + column,
                           .f = f.row(first) + column,
                           .c = c.row(first) + column,
                           .dc = dc.row(first) + column,
                           .dz = dz.row(first) + column,
                           .dg = dg.row(first) + column,
                           .z_stride = stride_of(z),
                           .dc_stride = stride_of(dc),
                           .stride = stride_of(f),
                           .rows = rows},
                          columns);
                    });
}

}  // namespace attend
#endif
