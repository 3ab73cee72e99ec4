// Independent pieces of work, shared out over processes: each computes some, all get the results.
#pragma once

#include <cstdint>
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

// The numbers of all pieces in order, `width` for each, which the process that has a piece computes
// with compute(piece, numbers). The same bits as from one process.
std::vector<double> share_out(
    Collective& processes, std::int64_t count, std::size_t width,
    const std::function<void(std::int64_t piece, std::span<double> numbers)>& compute);

// The texts of every process, by rank.
std::vector<std::string> gather_texts(Collective& processes, std::span<const std::string> mine);

}  // namespace attend
