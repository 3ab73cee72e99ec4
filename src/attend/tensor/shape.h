// The extents of a tensor: up to four dimensions, kept in place.
#pragma once

#include <array>
#include <cstdint>
#include <initializer_list>
#include <string>

namespace attend {

class Shape {
 public:
  static constexpr int kMaxRank = 4;

  Shape() = default;
  // Throws ShapeError for more than kMaxRank extents, negative extents, or more elements than an
  // int64 can count.
  Shape(std::initializer_list<std::int64_t> dims);

  int rank() const { return rank_; }
  // Extent of dimension `axis`; negative axes count from the end. Throws ShapeError if out of
  // range.
  std::int64_t operator[](int axis) const;
  // Number of elements; 1 for rank 0.
  std::int64_t size() const;

  bool operator==(const Shape&) const = default;

 private:
  std::array<std::int64_t, kMaxRank> dims_{};
  int rank_ = 0;
};

// "[3, 128]"
std::string to_string(const Shape& shape);

}  // namespace attend
