// The tokenizers of a task.
#pragma once

#include "attend/text/tokenizer.h"

namespace attend {

// Those of a source and a target; the same one twice if they share one, or if there is one text.
struct Vocabularies {
  Tokenizer src;
  Tokenizer tgt;

  bool joint() const { return src.bytes() == tgt.bytes(); }
};

}  // namespace attend
