// Tokens from Python, by their strings in a vocabulary.
#pragma once

#include <fmt/format.h>

#include <cstdint>
#include <string>
#include <tuple>
#include <vector>

#include "attend/core/strings/quote.h"
#include "attend/error.h"
#include "attend/tokenizer.h"

namespace attend {

// Throws DataError for a token that has no id, where the vocabulary has none for the unknown.
inline std::vector<std::int32_t> ids_of(const std::vector<std::string>& tokens,
                                        const Tokenizer& tokenizer) {
  std::vector<std::int32_t> ids;
  for (const std::string& token : tokens) {
    ids.push_back(tokenizer.id(token));
    if (ids.back() < 0)
      throw DataError(fmt::format("the vocabulary has no token {}", quote(token)));
  }
  return ids;
}

// Sequences of tokens that are never written, and ids that end an output; none: the model's end.
using TokenLimits = std::tuple<std::vector<std::vector<std::string>>, std::vector<std::int32_t>>;

// Sets them in the options of translating or of generating. Throws DataError for a token without an
// id.
template <class Options>
void set_limits(Options& options, const TokenLimits& limits, const Tokenizer& tokenizer) {
  const auto& [forbidden, ends] = limits;
  for (const std::vector<std::string>& tokens : forbidden)
    options.forbidden_ids.push_back(ids_of(tokens, tokenizer));
  options.end_ids = ends;
}

inline std::vector<std::string> pieces_of(const std::vector<std::int32_t>& ids,
                                          const Tokenizer& tokenizer) {
  std::vector<std::string> pieces;
  for (const std::int32_t id : ids) pieces.push_back(tokenizer.piece(id));
  return pieces;
}

}  // namespace attend
