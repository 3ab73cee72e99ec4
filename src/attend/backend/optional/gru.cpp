#include <cassert>

#include "attend/backend/cpu/sigmoid.h"
#include "attend/backend/optional_kernels.h"

namespace attend {

void OptionalKernels::gru_cell(const Tensor& x, const Tensor& s, const Tensor& h, const Tensor& y,
                               const Tensor& gates) {
  const std::int64_t width = h.cols();
  assert(x.cols() == 3 * width && s.cols() == 3 * width && y.cols() == width);
  for (std::int64_t row = 0; row < h.rows(); ++row) {
    const float *xr = x.row(row), *sr = s.row(row);
    for (std::int64_t i = 0; i < width; ++i) {
      const double r = sigmoid(double{xr[i]} + sr[i]);
      const double z = sigmoid(double{xr[width + i]} + sr[width + i]);
      const double n = std::tanh(xr[2 * width + i] + r * sr[2 * width + i]);
      y.row(row)[i] = static_cast<float>((1.0 - z) * n + z * h.row(row)[i]);
      if (!gates.defined()) continue;
      gates.row(row)[i] = static_cast<float>(r);
      gates.row(row)[width + i] = static_cast<float>(z);
      gates.row(row)[2 * width + i] = static_cast<float>(n);
    }
  }
}

// dn = dy (1 - z),  dz = dy (h - n),  dh = dy z;  through the activations: dx_n = dn (1 - n^2),
// ds_n = r dx_n, dx_r = ds_r = dx_n s_n r (1 - r),  dx_z = ds_z = dz z (1 - z).
void OptionalKernels::gru_cell_backward(const Tensor& gates, const Tensor& s, const Tensor& h,
                                        const Tensor& dy, const Tensor& dx, const Tensor& ds,
                                        const Tensor& dh) {
  const std::int64_t width = h.cols();
  for (std::int64_t row = 0; row < h.rows(); ++row) {
    for (std::int64_t i = 0; i < width; ++i) {
      const double r = gates.row(row)[i], z = gates.row(row)[width + i],
                   n = gates.row(row)[2 * width + i];
      const double g = dy.row(row)[i], state = h.row(row)[i], s_n = s.row(row)[2 * width + i];
      const double dx_n = g * (1.0 - z) * (1.0 - n * n);
      const double dr = dx_n * s_n * r * (1.0 - r);
      const double dz = g * (state - n) * z * (1.0 - z);
      dx.row(row)[i] = ds.row(row)[i] = static_cast<float>(dr);
      dx.row(row)[width + i] = ds.row(row)[width + i] = static_cast<float>(dz);
      dx.row(row)[2 * width + i] = static_cast<float>(dx_n);
      ds.row(row)[2 * width + i] = static_cast<float>(r * dx_n);
      dh.row(row)[i] = static_cast<float>(g * z);
    }
  }
}

}  // namespace attend
