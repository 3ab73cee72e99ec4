#include "attend/tensor/tensor.h"

#include <fmt/format.h>

#include <bit>
#include <utility>

#include "attend/error.h"

namespace attend {

Tensor Tensor::at(Memory& memory, std::shared_ptr<void> owner, std::byte* data, const Shape& shape,
                  DType dtype) {
  Tensor tensor;
  tensor.owner_ = std::move(owner);
  tensor.data_ = data;
  tensor.memory_ = &memory;
  tensor.shape_ = shape;
  tensor.row_stride_ = shape.rank() == 0 ? 1 : shape[-1];
  tensor.dtype_ = dtype;
  return tensor;
}

Tensor Tensor::allocated(Memory& memory, const Shape& shape, DType dtype) {
  std::int64_t bytes = 0;
  if (__builtin_mul_overflow(shape.size(), size_of(dtype), &bytes))
    throw ShapeError(
        fmt::format("[tensor] expected a shape of less than 2^63 bytes, got {}", to_string(shape)));
  auto block = memory.allocate(static_cast<std::size_t>(bytes));
  std::byte* const data = block.get();
  return at(memory, std::move(block), data, shape, dtype);
}

Tensor Tensor::empty(Shape shape, DType dtype) { return allocated(current_memory(), shape, dtype); }

Tensor Tensor::empty_on_host(Shape shape, DType dtype) {
  return allocated(host_memory(), shape, dtype);
}

Tensor Tensor::zeros(Shape shape, DType dtype) {
  Tensor tensor = empty(shape, dtype);
  tensor.zero();
  return tensor;
}

Tensor Tensor::full(Shape shape, float value) {
  Tensor tensor = empty(shape);
  tensor.memory_->fill(tensor.byte_rows(), tensor.rows(), tensor.row_size(),
                       std::bit_cast<std::uint32_t>(value));
  return tensor;
}

namespace {

template <class T>
Tensor copy_values(std::span<const T> values, const Shape& shape) {
  if (static_cast<std::int64_t>(values.size()) != shape.size())
    throw ShapeError(fmt::format("[tensor] expected {} values for shape {}, got {}", shape.size(),
                                 to_string(shape), values.size()));
  const Tensor tensor = Tensor::empty(shape, DTypeOf<T>::value);
  tensor.copy_from(Tensor::wrap(nullptr, const_cast<T*>(values.data()), shape, DTypeOf<T>::value));
  return tensor;
}

}  // namespace

Tensor Tensor::from(std::span<const float> values, Shape shape) {
  return copy_values(values, shape);
}
Tensor Tensor::from(std::span<const std::int32_t> values, Shape shape) {
  return copy_values(values, shape);
}

Tensor Tensor::wrap(std::shared_ptr<void> owner, void* data, Shape shape, DType dtype) {
  return at(host_memory(), std::move(owner), static_cast<std::byte*>(data), shape, dtype);
}

Tensor Tensor::slice_rows(std::int64_t begin, std::int64_t end) const {
  if (shape_.rank() == 0 || begin < 0 || begin > end || end > shape_[0])
    throw ShapeError(
        fmt::format("[slice_rows] expected 0 <= begin <= end <= rows of {}, got {}..{}",
                    to_string(shape_), begin, end));
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
    throw ShapeError(fmt::format(
        "[slice_columns] expected 0 <= begin <= end <= columns of a matrix, got {}..{} of {}",
        begin, end, to_string(shape_)));
  Tensor view = *this;
  view.shape_ = {shape_[0], end - begin};
  view.data_ += static_cast<std::size_t>(begin) * size_of(dtype_);
  return view;
}

Tensor Tensor::reshape(Shape shape) const {
  check_contiguous();
  if (shape.size() != size())
    throw ShapeError(fmt::format("[reshape] expected {} elements for {}, got {}", shape.size(),
                                 to_string(shape), to_string(shape_)));
  return at(*memory_, owner_, data_, shape, dtype_);
}

Tensor Tensor::as(DType dtype) const {
  if (size_of(dtype) != size_of(dtype_))
    throw ShapeError(fmt::format("[as] expected elements as large as {}, got {}", name_of(dtype_),
                                 name_of(dtype)));
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
    throw ShapeError(fmt::format("[copy] expected {} {}, got {} {}", name_of(dtype_),
                                 to_string(shape_), name_of(source.dtype_),
                                 to_string(source.shape_)));
  if (size() == 0 || data_ == source.data_) return;
  const bool from_host = source.memory_ == &host_memory(), to_host = memory_ == &host_memory();
  if (source.memory_ == memory_) {
    memory_->copy(source.byte_rows(), byte_rows(), rows(), row_size());
  } else if (from_host) {
    memory_->copy_from_host(source.byte_rows(), byte_rows(), rows(), row_size());
  } else if (to_host) {
    source.memory_->copy_to_host(source.byte_rows(), byte_rows(), rows(), row_size());
  } else {
    copy_from(source.to_host());
  }
}

void Tensor::zero() const {
  if (size() > 0) memory_->fill(byte_rows(), rows(), row_size(), 0);
}

Tensor Tensor::to_host() const {
  if (!defined() || (memory_ == &host_memory() && contiguous())) return *this;
  const Tensor copy = empty_on_host(shape_, dtype_);
  copy.copy_from(*this);
  return copy;
}

double Tensor::item() const {
  if (size() != 1)
    throw ShapeError(fmt::format("[item] expected one element, got {}", to_string(shape_)));
  const Tensor host = to_host();
  return dtype_ == DType::f64 ? *host.data<double>() : static_cast<double>(*host.data());
}

std::vector<float> Tensor::to_vector() const {
  const Tensor host = to_host();
  const auto elements = host.span();
  return {elements.begin(), elements.end()};
}

void Tensor::check_dtype(DType expected) const {
  if (expected != dtype_)
    throw ShapeError(
        fmt::format("[tensor] expected elements {}, got {}", name_of(expected), name_of(dtype_)));
}

void Tensor::check_contiguous() const {
  if (!contiguous())
    throw ShapeError(fmt::format("[tensor] expected contiguous rows, got {} with row stride {}",
                                 to_string(shape_), row_stride_));
}

}  // namespace attend
