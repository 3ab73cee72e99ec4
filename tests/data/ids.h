// TokenIds of tokens: those of a tokenizer whose pieces are letters, and copies to compare.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "attend/text/tokenizer.h"

namespace attend {

using TokenIds = std::vector<std::int32_t>;

inline TokenIds copy(std::span<const std::int32_t> ids) { return {ids.begin(), ids.end()}; }

// One id per letter, and "▁" for the beginning of every word.
inline Tokenizer characters() {
  TokenizerOptions options;
  options.type = TokenizerType::chars;
  return Tokenizer::train(std::vector<std::string>{"abcdefghijklmnopqrstuvwxyz"}, options);
}

}  // namespace attend
