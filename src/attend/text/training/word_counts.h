// Training data of WordPiece and byte-level BPE: words and their counts. Private to text/.
#pragma once

#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

#include "attend/text/tokenizer_file.h"

namespace attend::detail {

using WordCounts = std::unordered_map<std::string, std::int64_t>;

// The normalization of text before it is split. Throws ConfigError if an option is set that this
// type of tokenizer does not have.
TextNormalization normalization_of(const TokenizerOptions& options);

// <pad>, <unk>, <s> and </s>.
PieceList control_pieces();

}  // namespace attend::detail
