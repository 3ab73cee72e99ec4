// Tensors of the library as objects of Python.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <cstdint>
#include <span>

#include "attend/tensor/tensor.h"

namespace attend {

// Throws ShapeError for more dimensions than tensors have.
Shape shape_of_extents(std::span<const std::int64_t> extents);

// An array that shares the memory of a contiguous tensor, and keeps it. Needs the GIL.
nanobind::ndarray<nanobind::numpy, float> numpy_view(const Tensor& tensor);

}  // namespace attend
