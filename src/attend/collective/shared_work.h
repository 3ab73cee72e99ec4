// Independent pieces of work, shared out over processes: each computes some, all get the results.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "attend/collective/collective.h"

namespace attend {

// Pieces [begin, end) of `count`: those of this process. Processes have neighboring pieces, equally
// many up to one.
struct OwnPieces {
  std::int64_t begin = 0, end = 0;
};
OwnPieces own_pieces(const Collective& processes, std::int64_t count);

// Computes `width` numbers for every piece, each on the process that has the piece, and returns all
// of them in order. The bits are those of a single process.
std::vector<double> compute_sharded(
    Collective& processes, std::int64_t count, std::size_t width,
    const std::function<void(std::int64_t piece, std::span<double> numbers)>& compute);

// Concatenates the bytes of all processes by rank. Sizes may differ.
std::vector<std::byte> gather_bytes(Collective& processes, std::span<const std::byte> mine);

// The same for numbers.
template <class T>
std::vector<T> gather_lists(Collective& processes, std::span<const T> mine) {
  const std::vector<std::byte> bytes = gather_bytes(processes, std::as_bytes(mine));
  std::vector<T> all(bytes.size() / sizeof(T));
  if (!all.empty()) std::memcpy(all.data(), bytes.data(), bytes.size());
  return all;
}

// The texts of every process, by rank.
std::vector<std::string> gather_texts(Collective& processes, std::span<const std::string> mine);

}  // namespace attend
