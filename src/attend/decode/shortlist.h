// Which target tokens may translate a source: a few that always may, and the likeliest translations
// of each of its tokens. Decoding that looks at no others multiplies with a fraction of the output
// layer.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "attend/nn/ragged.h"

namespace attend {

struct Shortlist {
  std::vector<std::int32_t> always;  // target ids; the end of a sentence is among them
  Ragged translations;               // for every id of the source vocabulary, target ids

  // The target ids for a source, ascending. Throws DataError for a source id that the list does not
  // know.
  std::vector<std::int32_t> allowed(std::span<const std::int32_t> src) const;
};

}  // namespace attend
