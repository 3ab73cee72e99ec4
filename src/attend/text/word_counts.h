// What WordPiece and byte-level BPE learn from. Private to text/.
#pragma once

#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

#include "attend/text/tokenizer_file.h"

namespace attend::detail {

using WordCounts = std::unordered_map<std::string, std::int64_t>;

// What is done to text before it is cut. Throws ConfigError when an option is set that the type of
// tokenizer does not have.
TextNormalization normalization_of(const TokenizerOptions& options);

// <pad>, <unk>, <s> and </s>.
PieceList control_pieces();

}  // namespace attend::detail
