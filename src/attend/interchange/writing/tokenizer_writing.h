// Tokenizers as files of Hugging Face: the other direction of tokenizer_json.h.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "attend/interchange/tokenizers/tokenizer_json.h"
#include "attend/text/tokenizer.h"

namespace attend {

// What a model expects before and after a text, and between two.
struct TextSpecialTokens {
  std::vector<std::int32_t> prefix = {}, suffix = {};
  PairForm pair = {};
};

// The piece of a special token that a family of models needs, `what` "ends a text" or the like.
// Throws ConfigError, which says so, if the tokenizer has none: `id` is negative then.
const std::string& needed_piece(const Tokenizer& tokenizer, std::int32_t id, std::string_view what);

// The content of a tokenizer.json that read_tokenizer_json() makes this tokenizer from again.
// Throws ConfigError that names what has no equal there.
std::string write_tokenizer_json(const Tokenizer& tokenizer, const TextSpecialTokens& marks);

// The content of a tokenizer_config.json: the special tokens by name, then `settings`, which may
// replace them.
std::string write_tokenizer_config(const Tokenizer& tokenizer, const nlohmann::json& settings = {});

// Throws ConfigError unless both cut text into the same tokens: every piece of the vocabulary,
// alone and beside others. Both have the same vocabulary. Of two ways that Unigram finds equally
// likely, each may choose one.
void require_same_tokens(const Tokenizer& ours, const Tokenizer& theirs);

}  // namespace attend
