// The target tokens that may translate a source: a few that are always allowed, and the most likely
// translations of each source token. Decoding then computes only a fraction of the output layer.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "attend/nn/ragged.h"

namespace attend {

struct Shortlist {
  std::vector<std::int32_t> always;  // target ids, including the end of sentence
  Ragged translations;               // target ids for every source id
  std::vector<std::int32_t> never;   // target ids that no source may have, listed or not

  // The allowed target ids for a source, ascending. Throws DataError for a source id outside the
  // list.
  std::vector<std::int32_t> allowed(std::span<const std::int32_t> src) const;
  // The list that never allows these tokens.
  Shortlist without(std::span<const std::int32_t> tokens) const;
};

}  // namespace attend
