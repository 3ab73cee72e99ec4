#include "attend/data/batch.h"

#include <fmt/format.h>

#include <limits>

#include "attend/core/error.h"

namespace attend {

void Ragged::add(std::span<const std::int32_t> sequence) {
  ids.insert(ids.end(), sequence.begin(), sequence.end());
  close_sequence();
}

void Ragged::close_sequence() {
  constexpr std::size_t kMost = std::numeric_limits<std::int32_t>::max();
  if (ids.size() > kMost) throw DataError(fmt::format("expected at most {} tokens in memory, found more; split the corpus", kMost));
  offsets.push_back(static_cast<std::int32_t>(ids.size()));
}

void Ragged::clear() {
  ids.clear();
  offsets.assign(1, 0);
}

}  // namespace attend
