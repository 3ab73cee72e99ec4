// The loop over blocks of rows. Private to ops.
#pragma once

#include <algorithm>
#include <cstdint>

namespace attend::detail {

// Calls use(begin, end) for blocks of at most `size` of the rows of a tensor; once if there are no
// rows, because their gradients are zeros.
template <class Use>
void for_row_blocks(std::int64_t rows, std::int64_t size, const Use& use) {
  std::int64_t begin = 0;
  do {
    use(begin, std::min(begin + size, rows));
    begin += size;
  } while (begin < rows);
}

}  // namespace attend::detail
