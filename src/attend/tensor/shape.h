// The extents of a tensor: up to four dimensions, kept in place.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <span>
#include <string>

namespace attend {

class Shape {
 public:
  static constexpr int kMaxRank = 4;

  Shape() = default;
  // Throws ShapeError for more than kMaxRank extents, negative extents, or more elements than an
  // int64 can count.
  Shape(std::initializer_list<std::int64_t> dims) : rank_(static_cast<int>(dims.size())) {
    std::int64_t size = 1;
    bool fits = rank_ <= kMaxRank;
    std::size_t axis = 0;
    for (const std::int64_t dim : dims) {
      fits = fits && dim >= 0 && !__builtin_mul_overflow(size, dim, &size);
      if (!fits) throw_invalid({dims.begin(), dims.end()});
      dims_[axis++] = dim;
    }
  }

  int rank() const { return rank_; }
  // Extent of dimension `axis`; negative axes count from the end. Throws ShapeError if out of
  // range.
  std::int64_t operator[](int axis) const {
    const int index = axis < 0 ? axis + rank_ : axis;
    if (index < 0 || index >= rank_) throw_no_dimension(axis);
    return dims_[static_cast<std::size_t>(index)];
  }
  // Number of elements; 1 for rank 0.
  std::int64_t size() const {
    std::int64_t size = 1;
    for (int i = 0; i < rank_; ++i) size *= dims_[static_cast<std::size_t>(i)];
    return size;
  }

  bool operator==(const Shape&) const = default;

 private:
  [[noreturn]] static void throw_invalid(std::span<const std::int64_t> dims);
  [[noreturn]] void throw_no_dimension(int axis) const;

  std::array<std::int64_t, kMaxRank> dims_{};
  int rank_ = 0;
};

// "[3, 128]"
std::string to_string(const Shape& shape);

}  // namespace attend
