// The tokens of a vocabulary that stand for no text.
#pragma once

#include <cstdint>

namespace attend {

struct SpecialTokens {
  std::int32_t bos = -1;  // begins a sequence; -1: the vocabulary has none
  std::int32_t eos = -1;  // ends one
  std::int32_t pad = -1;  // fills up; never in a text
  std::int32_t unk = -1;  // what the vocabulary has no piece for
};

}  // namespace attend
