// Ids of tokens: those of a tokenizer whose pieces are letters, and copies to compare.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "attend/text/tokenizer.h"

namespace attend {

using Ids = std::vector<std::int32_t>;

inline Ids copy(std::span<const std::int32_t> ids) { return {ids.begin(), ids.end()}; }

inline Tokenizer characters() {
  TokenizerOptions options;
  options.type = TokenizerType::chars;
  return Tokenizer::train(std::vector<std::string>{"abcdefghijklmnopqrstuvwxyz"}, options);
}

}  // namespace attend
