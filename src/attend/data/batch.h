// A batch of sentence pairs.
#pragma once

#include "attend/nn/ragged.h"

namespace attend {

// B sentence pairs. The only place that shifts targets:
//   src      source  + eos
//   tgt_in   bos     + target
//   tgt_out  target  + eos     the expected output at each position of tgt_in; same offsets
struct TranslationBatch {
  Ragged src;
  Ragged tgt_in;
  Ids tgt_out;
};

}  // namespace attend
