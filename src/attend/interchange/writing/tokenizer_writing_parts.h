// Parts of a tokenizer.json that several models have. Private to interchange/.
#pragma once

#include <cstdint>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "attend/core/options/option_error.h"
#include "attend/text/tokenizer.h"
#include "attend/text/tokenizer_file.h"

namespace attend::detail {

// Throws ConfigError "its tokenizer has no equivalent in a tokenizer.json: <what>".
[[noreturn]] void refuse_to_write(std::string_view what);
[[noreturn]] void refuse_to_write(const OptionText& what);

// {"piece": id}
nlohmann::json vocabulary_json(const std::vector<std::string>& pieces);
// The added tokens: of each id whether it is special.
nlohmann::json added_tokens_json(const std::vector<std::string>& pieces,
                                 const std::map<std::int32_t, bool>& added);

// The model, the normalizer, the pre-tokenizer and the decoder of a SentencePiece model. Throws
// ConfigError.
void write_foreign_sentencepiece(const Tokenizer& tokenizer, nlohmann::json& file);
// The same of an imported tokenizer, and its added tokens.
void write_foreign_steps(const StepsDescription& description, nlohmann::json& file);

}  // namespace attend::detail
