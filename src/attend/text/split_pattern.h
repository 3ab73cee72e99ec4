// A regular expression that splits text into parts, as in byte-level BPE models. Private to text/.
#pragma once

#include <memory>
#include <string_view>
#include <vector>

#include "attend/tokenizer.h"

namespace attend::detail {

// Patterns have the syntax of the tokenizers library (oniguruma.h). The work per match is limited
// in proportion to the text, so that no pattern hangs. Immutable; may be used from several threads
// at once.
class SplitPattern {
 public:
  // Throws DataError, stating only the reason, for a pattern that is invalid or not supported.
  explicit SplitPattern(std::string_view pattern);

  // The matches in a text (UTF-8), from left to right. They may be empty, but none is so directly
  // behind another. Throws DataError if the pattern takes too long.
  std::vector<TokenSpan> matches(std::string_view text) const;
  // Splits each of `parts` into the matches that are not empty and the text between them. Throws
  // like matches().
  void split(std::vector<std::string_view>& parts) const;

 private:
  struct Code;
  std::shared_ptr<const Code> code_;
};

}  // namespace attend::detail
