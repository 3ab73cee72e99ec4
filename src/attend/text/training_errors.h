// What the trainers of all engines refuse, in the same words. Private to text/.
#pragma once

#include <cstddef>

#include "attend/text/tokenizer.h"

namespace attend::detail {

// <pad>, <unk>, <s> and </s>, the first pieces of every vocabulary that is learned here.
inline constexpr int kTrainedControls = 4;

// Throws ConfigError for options out of their ranges, and for a vocabulary without room for more
// than the reserved pieces.
void check_training_options(const TokenizerOptions& options, int reserved);

[[noreturn]] void throw_no_text(std::size_t sentences);
// The text gives at most `most` pieces.
[[noreturn]] void throw_vocabulary_too_large(const TokenizerOptions& options, std::size_t sentences,
                                             int most);
// The characters of the text and the reserved pieces are `least`.
[[noreturn]] void throw_vocabulary_too_small(const TokenizerOptions& options, int reserved,
                                             int least);

}  // namespace attend::detail
