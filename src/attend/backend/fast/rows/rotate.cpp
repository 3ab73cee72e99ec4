// rotate.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "attend/backend/fast/rows/rotate.cpp"
#include "attend/backend/fast/targets.h"
// must come between the two
#include "hwy/foreach_target.h"

#include "attend/backend/fast/simd-inl.h"

HWY_BEFORE_NAMESPACE();
namespace attend {
namespace HWY_NAMESPACE {

// One group of 2 * half columns, with half cosines and half sines.
void rotate_group(const float* x, const float* angles, bool back, std::size_t half, float* y) {
  const Floats d;
  const std::size_t lanes = hn::Lanes(d);
  const auto sign = hn::Set(d, back ? -1.0f : 1.0f);
  for (std::size_t i = 0; i < half; i += lanes) {
    const std::size_t count = HWY_MIN(lanes, half - i);
    const auto c = load_part(d, angles + i, count);
    const auto s = hn::Mul(sign, load_part(d, angles + half + i, count));
    const auto a = load_part(d, x + i, count), b = load_part(d, x + half + i, count);
    store_part(hn::NegMulAdd(s, b, hn::Mul(c, a)), d, y + i, count);
    store_part(hn::MulAdd(s, a, hn::Mul(c, b)), d, y + half + i, count);
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace attend
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
#include <algorithm>
#include <cassert>

#include "attend/backend/fast/fast_backend.h"
#include "attend/backend/fast/rows/runs.h"
#include "attend/backend/ids_span.h"
#include "attend/core/threads/parallel.h"

namespace attend {

HWY_EXPORT(rotate_group);

void FastBackend::rotate(const Tensor& x, const Rotation& rotation, const Tensor& y) {
  const std::int64_t width = rotation.angles.cols();
  assert(rotation.columns % width == 0 && rotation.columns <= x.cols() && x.cols() == y.cols());
  const auto position = device_span(rotation.position);
  const auto kernel = HWY_DYNAMIC_DISPATCH(rotate_group);
  parallel_for(x.rows(), row_grain(x.cols()), [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t r = begin; r < end; ++r) {
      const float* angles = rotation.angles.row(position[static_cast<std::size_t>(r)]);
      for (std::int64_t group = 0; group < rotation.columns; group += width)
        kernel(x.row(r) + group, angles, rotation.back, static_cast<std::size_t>(width / 2),
               y.row(r) + group);
      if (x.row(r) != y.row(r))
        std::copy(x.row(r) + rotation.columns, x.row(r) + x.cols(), y.row(r) + rotation.columns);
    }
  });
}

}  // namespace attend
#endif
