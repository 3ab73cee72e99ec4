// A batch of sentence pairs.
#pragma once

#include <cstdint>
#include <vector>

#include "attend/nn/ragged.h"

namespace attend {

// B sentence pairs. The only place that shifts targets:
//   src      source  + eos
//   tgt_in   bos     + target
//   tgt_out  target  + eos     the expected output at each position of tgt_in; same offsets
// Models of several languages have more special tokens (pair_special_tokens.h). The decoder learns
// to write those that it begins with after the first one, as it does in transformers.
struct TranslationBatch {
  Ragged src;
  Ragged tgt_in;
  Ids tgt_out;
  std::vector<std::int32_t> pairs = {};  // their numbers in the text of the batcher
};

}  // namespace attend
