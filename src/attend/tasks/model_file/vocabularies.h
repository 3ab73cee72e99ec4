// The tokenizers of a task.
#pragma once

#include "attend/text/tokenizer.h"

namespace attend {

// A source and a target have one each; it is the same one twice if they share one, or if there is
// one text.
struct Vocabularies {
  Tokenizer src;
  Tokenizer tgt;

  bool joint() const { return src.bytes() == tgt.bytes(); }
};

}  // namespace attend
