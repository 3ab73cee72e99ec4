#include "attend/tensor/tensor.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "attend/core/error.h"
#include "attend/tensor/allocator.h"

namespace attend {

Tensor Tensor::empty(Shape shape, DType dtype) {
  const auto bytes = static_cast<std::size_t>(shape.size()) * size_of(dtype);
  auto memory = allocate(bytes);
  std::byte* data = memory.get();
  return wrap(std::move(memory), data, shape, dtype);
}

Tensor Tensor::zeros(Shape shape, DType dtype) {
  Tensor tensor = empty(shape, dtype);
  tensor.zero();
  return tensor;
}

Tensor Tensor::full(Shape shape, float value) {
  Tensor tensor = empty(shape);
  std::fill_n(tensor.data(), tensor.size(), value);
  return tensor;
}

namespace {

template <class T>
Tensor copy_values(std::span<const T> values, const Shape& shape) {
  if (static_cast<std::int64_t>(values.size()) != shape.size())
    throw ShapeError(fmt::format("[tensor] expected {} values for shape {}, got {}", shape.size(), to_string(shape), values.size()));
  Tensor tensor = Tensor::empty(shape, DTypeOf<T>::value);
  std::copy(values.begin(), values.end(), tensor.data<T>());
  return tensor;
}

}  // namespace

Tensor Tensor::from(std::span<const float> values, Shape shape) { return copy_values(values, shape); }
Tensor Tensor::from(std::span<const std::int32_t> values, Shape shape) { return copy_values(values, shape); }

Tensor Tensor::wrap(std::shared_ptr<void> owner, void* data, Shape shape, DType dtype) {
  Tensor tensor;
  tensor.owner_ = std::move(owner);
  tensor.data_ = static_cast<std::byte*>(data);
  tensor.shape_ = shape;
  tensor.row_stride_ = shape.rank() == 0 ? 1 : shape[-1];
  tensor.dtype_ = dtype;
  return tensor;
}

Tensor Tensor::slice_rows(std::int64_t begin, std::int64_t end) const {
  if (shape_.rank() == 0 || begin < 0 || begin > end || end > shape_[0])
    throw ShapeError(fmt::format("[slice_rows] expected 0 <= begin <= end <= rows of {}, got {}..{}", to_string(shape_), begin, end));
  Tensor view = *this;
  if (shape_.rank() == 1) {
    view.shape_ = {end - begin};
    view.row_stride_ = end - begin;
    view.data_ += static_cast<std::size_t>(begin) * size_of(dtype_);
    return view;
  }
  const std::int64_t rows_per_entry = shape_[0] == 0 ? 0 : rows() / shape_[0];
  switch (shape_.rank()) {
    case 2:
      view.shape_ = {end - begin, shape_[1]};
      break;
    case 3:
      view.shape_ = {end - begin, shape_[1], shape_[2]};
      break;
    default:
      view.shape_ = {end - begin, shape_[1], shape_[2], shape_[3]};
  }
  view.data_ += static_cast<std::size_t>(begin * rows_per_entry * row_stride_) * size_of(dtype_);
  return view;
}

Tensor Tensor::slice_columns(std::int64_t begin, std::int64_t end) const {
  if (shape_.rank() != 2 || begin < 0 || begin > end || end > shape_[1])
    throw ShapeError(
        fmt::format("[slice_columns] expected 0 <= begin <= end <= columns of a matrix, got {}..{} of {}", begin, end, to_string(shape_)));
  Tensor view = *this;
  view.shape_ = {shape_[0], end - begin};
  view.data_ += static_cast<std::size_t>(begin) * size_of(dtype_);
  return view;
}

Tensor Tensor::reshape(Shape shape) const {
  check_contiguous();
  if (shape.size() != size())
    throw ShapeError(fmt::format("[reshape] expected {} elements for {}, got {}", shape.size(), to_string(shape), to_string(shape_)));
  return wrap(owner_, data_, shape, dtype_);
}

Tensor Tensor::as(DType dtype) const {
  if (size_of(dtype) != size_of(dtype_))
    throw ShapeError(fmt::format("[as] expected elements as large as {}, got {}", name_of(dtype_), name_of(dtype)));
  Tensor view = *this;
  view.dtype_ = dtype;
  return view;
}

Tensor Tensor::clone() const {
  Tensor copy = empty(shape_, dtype_);
  copy.copy_from(*this);
  return copy;
}

void Tensor::copy_from(const Tensor& source) const {
  if (source.shape_ != shape_ || source.dtype_ != dtype_)
    throw ShapeError(fmt::format("[copy] expected {} {}, got {} {}", name_of(dtype_), to_string(shape_), name_of(source.dtype_),
                                 to_string(source.shape_)));
  const std::size_t element = size_of(dtype_);
  const auto row_bytes = static_cast<std::size_t>(cols()) * element;
  if (row_bytes == 0) return;
  if (contiguous() && source.contiguous()) {
    std::memcpy(data_, source.data_, static_cast<std::size_t>(rows()) * row_bytes);
    return;
  }
  for (std::int64_t r = 0; r < rows(); ++r) {
    std::memcpy(data_ + static_cast<std::size_t>(r * row_stride_) * element,
                source.data_ + static_cast<std::size_t>(r * source.row_stride_) * element, row_bytes);
  }
}

void Tensor::zero() const {
  const std::size_t element = size_of(dtype_);
  const auto row_bytes = static_cast<std::size_t>(cols()) * element;
  for (std::int64_t r = 0; r < rows(); ++r) std::memset(data_ + static_cast<std::size_t>(r * row_stride_) * element, 0, row_bytes);
}

float Tensor::item() const {
  if (size() != 1) throw ShapeError(fmt::format("[item] expected one element, got {}", to_string(shape_)));
  return *data();
}

std::vector<float> Tensor::to_vector() const {
  const Tensor whole = contiguous() ? *this : clone();
  const auto elements = whole.span();
  return {elements.begin(), elements.end()};
}

void Tensor::check_dtype(DType expected) const {
  if (expected != dtype_) throw ShapeError(fmt::format("[tensor] expected elements {}, got {}", name_of(expected), name_of(dtype_)));
}

void Tensor::check_contiguous() const {
  if (!contiguous())
    throw ShapeError(fmt::format("[tensor] expected contiguous rows, got {} with row stride {}", to_string(shape_), row_stride_));
}

}  // namespace attend
