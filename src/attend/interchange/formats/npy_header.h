// The header of a NumPy array file (.npy). Private to interchange/.
//
//   bytes 0..5   "\x93NUMPY"
//   bytes 6..7   version: 1 or 2 and 0
//   then         the length of the text that follows, 2 bytes (version 1) or 4 (version 2)
//   text         {'descr': '<f4', 'fortran_order': False, 'shape': (3, 4), }
//   the rest     the elements
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "attend/interchange/weights/element_type.h"

namespace attend {

struct NpyHeader {
  std::size_t bytes = 0;  // of the header
  ElementType type = ElementType::f32;
  std::vector<std::int64_t> shape;
  bool column_major = false;  // 'fortran_order'
};

inline constexpr std::size_t kLongestNpyHeader = std::size_t{64} << 10;

// Reads the header at the beginning of `bytes`. Throws DataError "<where>: ..." if it is no header,
// is longer than `bytes`, or describes anything but little-endian numbers.
NpyHeader read_npy_header(std::span<const std::byte> bytes, const std::string& where);

}  // namespace attend
