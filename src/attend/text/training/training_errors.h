// Errors that the trainers of all engines share. Private to text/.
#pragma once

#include <cstddef>

#include "attend/text/tokenizer.h"

namespace attend::detail {

// <pad>, <unk>, <s> and </s>, the first pieces of every vocabulary trained here.
inline constexpr int kTrainedControls = 4;

// Throws ConfigError for options out of their ranges, and for a vocabulary without room for more
// than the reserved pieces.
void check_training_options(const TokenizerOptions& options, int reserved);

[[noreturn]] void throw_no_text(std::size_t sentences);
// `most`: the largest vocabulary that the text supports.
[[noreturn]] void throw_vocabulary_too_large(const TokenizerOptions& options, std::size_t sentences,
                                             int most);
// `least`: the number of reserved pieces and characters of the text.
[[noreturn]] void throw_vocabulary_too_small(const TokenizerOptions& options, int reserved,
                                             int least);

}  // namespace attend::detail
