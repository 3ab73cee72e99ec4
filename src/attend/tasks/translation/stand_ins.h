// Words that a model copies from a sentence to its translation, in place of what it must not touch.
#pragma once

#include <string>
#include <vector>

#include "attend/tasks/text_preparer.h"
#include "attend/text/tokenizer.h"

namespace attend {

// The best ones first: those that are few tokens in both
// vocabularies, and frequent ones, as far as the order of the vocabularies tells that.
struct StandIns {
  std::vector<std::string> names;    // for text
  std::vector<std::string> numbers;  // for numbers
};

// Texts of one side: their tokens, and how they are prepared.
struct PreparedSide {
  const Tokenizer& tokenizer;
  const TextPreparer& prepare;
};

// Leaves out words that the vocabularies do not have.
StandIns stand_ins(const PreparedSide& source, const PreparedSide& target);

}  // namespace attend
