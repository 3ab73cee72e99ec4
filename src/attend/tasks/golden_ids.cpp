#include "attend/tasks/golden_ids.h"

#include <algorithm>

namespace attend {

namespace {

constexpr std::size_t kShortest = 4, kLongest = 9;

}  // namespace

std::vector<std::int32_t> golden_ids(Random& random, const Tokenizer& tokenizer) {
  std::vector<std::int32_t> ids(kShortest + random.below(kLongest - kShortest + 1));
  for (std::int32_t& id : ids) id = static_cast<std::int32_t>(random.below(static_cast<std::uint64_t>(tokenizer.vocab_size())));
  return ids;
}

bool is_in_vocabulary(const std::vector<std::int32_t>& ids, const Tokenizer& tokenizer) {
  return std::all_of(ids.begin(), ids.end(), [&](std::int32_t id) { return id >= 0 && id < tokenizer.vocab_size(); });
}

}  // namespace attend
