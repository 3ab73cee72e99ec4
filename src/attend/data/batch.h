// A batch of sentence pairs.
#pragma once

#include "attend/nn/ragged.h"

namespace attend {

// B sentence pairs. The only place that knows how targets are shifted:
//   src      source  + eos
//   tgt_in   bos     + target
//   tgt_out  target  + eos     what the decoder should say at each position of tgt_in; the offsets
//   are those of tgt_in
struct TranslationBatch {
  Ragged src;
  Ragged tgt_in;
  Ids tgt_out;
};

}  // namespace attend
