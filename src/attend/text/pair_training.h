// Learning merges from counted words (Sennrich et al. 2016). Private to text/.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace attend::detail {

struct CountedWord {
  std::vector<std::int32_t> symbols;  // places in the list of pieces
  std::int64_t count = 0;
};

// What two pieces become; nothing when they may not be joined.
using JoinPieces =
    std::function<std::optional<std::string>(const std::string&, const std::string&)>;

// Joins the pair that is most frequent in the words, of equal ones the first in the order of its
// left and then its right piece, and adds what it becomes to `pieces`, until there are `most`
// pieces or no pair is left. A pair that makes a piece that is there already is never joined. The
// pairs, in the order in which they were joined, as places in `pieces`.
std::vector<std::pair<std::int32_t, std::int32_t>> learn_merges(std::vector<CountedWord> words,
                                                                std::vector<std::string>& pieces,
                                                                std::size_t most,
                                                                const JoinPieces& join);

}  // namespace attend::detail
