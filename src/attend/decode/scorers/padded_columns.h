// Columns of rows as kernels take them: equally many for each row, of which -1 names none.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace attend {

// The most columns of a row.
template <class Rows>
std::size_t widest(const Rows& rows) {
  std::size_t width = 0;
  for (const auto& row : rows) width = std::max(width, row.size());
  return width;
}

// The columns of all rows, of which none has more than `width`, row-major.
template <class Rows>
std::vector<std::int32_t> padded_columns(const Rows& rows, std::size_t width) {
  std::vector<std::int32_t> columns;
  columns.reserve(width * rows.size());
  for (const auto& row : rows) {
    columns.insert(columns.end(), row.begin(), row.end());
    columns.resize(columns.size() + width - row.size(), -1);
  }
  return columns;
}

}  // namespace attend
