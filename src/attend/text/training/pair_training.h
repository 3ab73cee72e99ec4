// Learns merges from counted words (Sennrich et al. 2016). Private to text/.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace attend::detail {

struct CountedWord {
  std::vector<std::int32_t> symbols;  // indices into the list of pieces
  std::int64_t count = 0;
};

// Returns the joined piece, or nullopt if the two may not be joined.
using JoinPieces =
    std::function<std::optional<std::string>(const std::string&, const std::string&)>;

// Repeatedly joins the most frequent pair and adds the result to `pieces`, until there are `most`
// pieces or no pair is left. Ties go to the smallest left, then right piece. A pair whose result
// already exists is never joined. Returns the pairs in the order of joining, as indices into
// `pieces`.
std::vector<std::pair<std::int32_t, std::int32_t>> learn_merges(std::vector<CountedWord> words,
                                                                std::vector<std::string>& pieces,
                                                                std::size_t most,
                                                                const JoinPieces& join);

}  // namespace attend::detail
