// What a text and a vocabulary need before hours of work depend on them.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "attend/text/tokenizer.h"

namespace attend {

// Throws IoError and DataError unless the files, which may be none, are pairs line by line.
void require_pairs(const std::vector<std::string>& src, const std::vector<std::string>& tgt);
// Throws IoError, and DataError for files, unless there are none, without a sentence.
void require_text(const std::vector<std::string>& files);

// Throws ConfigError unless a vocabulary that is learned with these options can have the symbols.
void require_symbols(const std::vector<std::string>& symbols, TokenizerOptions options);
// Throws ConfigError unless the vocabulary of `model` has a token for each of them.
void require_symbols(const std::vector<std::string>& symbols, const Tokenizer& vocabulary,
                     const std::string& model);

}  // namespace attend
