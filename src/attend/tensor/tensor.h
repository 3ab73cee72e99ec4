// A tensor: a shape, an element type, and shared ownership of memory. Copying a Tensor copies the
// handle, not the elements.
//
// The memory belongs to a device (tensor/memory.h). Kernels read and write it; other code copies
// elements to the host with to_host(), to_vector() or item(), and from it with from() or
// copy_from().
//
// Elements are row-major. Only the distance between rows (`row_stride`) may vary: a range of
// columns of a matrix is a tensor, so the Q, K and V parts of one GEMM need no copies. All other
// dimensions are contiguous.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "attend/tensor/dtype.h"
#include "attend/tensor/memory.h"
#include "attend/tensor/shape.h"

namespace attend {

class Tensor {
 public:
  Tensor() = default;  // undefined: no memory, defined() is false

  // Uninitialized elements in the memory of the calling thread's current runtime.
  static Tensor empty(Shape shape, DType dtype = DType::f32);
  // The same in host memory, whatever the runtime.
  static Tensor empty_on_host(Shape shape, DType dtype = DType::f32);
  static Tensor zeros(Shape shape, DType dtype = DType::f32);
  static Tensor full(Shape shape, float value);
  // Copies `values` (row-major). Throws ShapeError if the count differs from shape.size().
  static Tensor from(std::span<const float> values, Shape shape);
  static Tensor from(std::span<const std::int32_t> values, Shape shape);
  // Host memory kept alive by `owner` (a mapped file); not copied.
  static Tensor wrap(std::shared_ptr<void> owner, void* data, Shape shape, DType dtype);

  bool defined() const { return data_ != nullptr || shape_.rank() > 0; }
  const Shape& shape() const { return shape_; }
  std::int64_t dim(int axis) const { return shape_[axis]; }
  std::int64_t size() const { return shape_.size(); }
  DType dtype() const { return dtype_; }

  // The matrix view: all leading dimensions are rows, the last one is the columns.
  std::int64_t cols() const { return shape_.rank() == 0 ? 1 : shape_[-1]; }
  std::int64_t rows() const { return cols() == 0 ? 0 : size() / cols(); }
  std::int64_t row_stride() const { return row_stride_; }
  bool contiguous() const { return row_stride_ == cols() || rows() <= 1; }

  // The memory of the elements; null for an undefined tensor.
  Memory* memory() const { return memory_; }

  // Pointer to the first element, for kernels and for tensors in host memory. There is no handle to
  // const elements: const Tensor is a constant handle. Throws ShapeError if T is not the element
  // type.
  template <class T = float>
  T* data() const {
    check_dtype(DTypeOf<T>::value);
    return reinterpret_cast<T*>(data_);
  }
  template <class T = float>
  T* row(std::int64_t index) const {
    return data<T>() + index * row_stride_;
  }
  std::byte* bytes() const { return data_; }
  std::byte* row_bytes(std::int64_t index) const {
    return data_ + index * row_stride_ * static_cast<std::int64_t>(size_of(dtype_));
  }
  // All elements as a span. Throws ShapeError unless contiguous.
  template <class T = float>
  std::span<T> span() const {
    check_contiguous();
    return {data<T>(), static_cast<std::size_t>(size())};
  }

  // Views that share memory. Bounds and sizes are checked (ShapeError).
  Tensor slice_rows(std::int64_t begin, std::int64_t end) const;     // along the first dimension
  Tensor slice_columns(std::int64_t begin, std::int64_t end) const;  // of the matrix view, rank 2
  Tensor reshape(Shape shape) const;                                 // contiguous only
  Tensor as(DType dtype) const;  // the same memory, reinterpreted as a type of equal size

  Tensor clone() const;  // a contiguous copy in the current memory
  // Copies from a tensor of equal shape and type. One of the two is on the host, or both share a
  // memory.
  void copy_from(const Tensor& source) const;
  void zero() const;

  // Contiguous and on the host: the tensor itself if it is both, otherwise a copy.
  Tensor to_host() const;
  double item() const;                   // the single element, f32 or f64
  std::vector<float> to_vector() const;  // all elements, f32

 private:
  static Tensor at(Memory& memory, std::shared_ptr<void> owner, std::byte* data, const Shape& shape,
                   DType dtype);
  static Tensor allocated(Memory& memory, const Shape& shape, DType dtype);
  ByteRows byte_rows() const {
    return {data_, row_stride_ * static_cast<std::int64_t>(size_of(dtype_))};
  }
  std::int64_t row_size() const {
    return cols() * static_cast<std::int64_t>(size_of(dtype_));
  }  // bytes
  void check_dtype(DType expected) const;
  void check_contiguous() const;

  std::shared_ptr<void> owner_;
  std::byte* data_ = nullptr;
  Memory* memory_ = nullptr;
  Shape shape_;
  std::int64_t row_stride_ = 0;
  DType dtype_ = DType::f32;
};

}  // namespace attend
