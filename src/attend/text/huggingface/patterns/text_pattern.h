// What a step of a foreign tokenizer looks for in text. Private to text/.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "attend/core/json/json_object.h"
#include "attend/tokenizer.h"

namespace attend::detail {

// Returns all matches in UTF-8 text, from left to right. They may be empty.
using TextPattern = std::function<std::vector<TokenSpan>(std::string_view text)>;

TextPattern literal_pattern(std::string text);
// Each character of a class alone.
TextPattern character_pattern(bool (*is_in_class)(char32_t));
// A regular expression (split_pattern.h). Throws DataError, stating only the reason.
TextPattern expression_pattern(std::string_view expression);
// {"String": "..."} or {"Regex": "..."}. Throws DataError.
TextPattern read_pattern(JsonObject& part, std::string_view member);

}  // namespace attend::detail
