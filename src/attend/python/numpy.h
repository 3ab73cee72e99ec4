// Results as NumPy arrays that own their memory: moved in, never copied.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <cstddef>
#include <utility>
#include <vector>

#include "attend/tensor/tensor.h"

namespace attend {

using NumpyArray = nanobind::ndarray<nanobind::numpy, float>;

// Row-major. Needs the GIL.
inline NumpyArray numpy_array(std::vector<float> values, const std::vector<std::size_t>& shape) {
  auto* owned = new std::vector<float>(std::move(values));
  const nanobind::capsule owner(
      owned, [](void* vector) noexcept { delete static_cast<std::vector<float>*>(vector); });
  return NumpyArray(owned->data(), shape.size(), shape.data(), owner);
}

// A matrix in the memory of any device. Needs the GIL.
inline NumpyArray numpy_matrix(const Tensor& matrix) {
  return numpy_array(matrix.to_vector(), {static_cast<std::size_t>(matrix.dim(0)),
                                          static_cast<std::size_t>(matrix.cols())});
}

}  // namespace attend
