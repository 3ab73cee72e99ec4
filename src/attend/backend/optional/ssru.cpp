#include <cassert>

#include "attend/backend/cpu/sigmoid.h"
#include "attend/backend/ids_span.h"
#include "attend/backend/optional_kernels.h"

namespace attend {

void OptionalKernels::ssru(const Tensor& z, const Tensor& g, const Ids& offsets,
                           const Tensor& before, const Tensor& c, const Tensor& f) {
  assert(z.shape() == g.shape() && z.shape() == c.shape());
  const std::span<const std::int32_t> begins = device_span(offsets);
  for (std::size_t s = 0; s + 1 < begins.size(); ++s) {
    const float* state = before.defined() ? before.row(static_cast<std::int64_t>(s)) : nullptr;
    for (std::int64_t n = begins[s]; n < begins[s + 1]; ++n) {
      for (std::int64_t i = 0; i < z.cols(); ++i) {
        const double gate = sigmoid(double{g.row(n)[i]});
        const double old = state == nullptr ? 0.0 : double{state[i]};
        c.row(n)[i] = static_cast<float>(gate * (old - z.row(n)[i]) + z.row(n)[i]);
        if (f.defined()) f.row(n)[i] = static_cast<float>(gate);
      }
      state = c.row(n);
    }
  }
}

// With dc* = dc_t + f_{t+1} dc*_{t+1}:  dz = dc* (1 - f),  dg = dc* (c_{t-1} - z) f (1 - f).
void OptionalKernels::ssru_backward(const Tensor& z, const Tensor& f, const Ids& offsets,
                                    const Tensor& c, const Tensor& dc, const Tensor& dz,
                                    const Tensor& dg) {
  const std::span<const std::int32_t> begins = device_span(offsets);
  for (std::size_t s = 0; s + 1 < begins.size(); ++s) {
    for (std::int64_t i = 0; i < z.cols(); ++i) {
      double from_later = 0.0;
      for (std::int64_t n = begins[s + 1]; n-- > begins[s];) {
        const double gate = f.row(n)[i], value = z.row(n)[i];
        const double old = n == begins[s] ? 0.0 : double{c.row(n - 1)[i]};
        const double slope = dc.row(n)[i] + from_later;
        dz.row(n)[i] = static_cast<float>(slope * (1.0 - gate));
        dg.row(n)[i] = static_cast<float>(slope * (old - value) * gate * (1.0 - gate));
        from_later = slope * gate;
      }
    }
  }
}

}  // namespace attend
