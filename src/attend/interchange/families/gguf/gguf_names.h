// The names that llama.cpp gives to the tensors of its architectures.
#pragma once

#include <string_view>

#include "attend/interchange/weights/name_map.h"
#include "attend/interchange/weights/tensor_table.h"

namespace attend {

// The names in language models. Queries, keys and values are one tensor where `fused`.
NameMap gguf_names(bool fused);

// llama.cpp rotates neighbors in pairs where others rotate halves, in the architecture "llama", so
// its file has the rows of every head of queries and keys in another order. Returns the tensors
// with the rows in the order of others.
struct GgufHeads {
  std::int64_t queries, keys;
};
TensorTable with_halves_to_rotate(const TensorTable& file, const GgufHeads& heads);

// Where a row of the other order comes from, for a head of `width` rows.
inline std::int64_t row_of_half(std::int64_t row, std::int64_t width) {
  const std::int64_t head = row / width, place = row % width, half = width / 2;
  return head * width + 2 * (place % half) + place / half;
}

}  // namespace attend
