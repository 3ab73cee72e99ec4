#include "attend/text/huggingface/patterns/text_pattern.h"

#include <fmt/format.h>

#include "attend/core/strings/utf8.h"
#include "attend/error.h"
#include "attend/text/split_pattern.h"

namespace attend::detail {

TextPattern literal_pattern(std::string literal) {
  return [literal = std::move(literal)](std::string_view text) {
    std::vector<TokenSpan> found;
    for (std::size_t at = text.find(literal); at != text.npos;
         at = text.find(literal, at + literal.size()))
      found.push_back({at, at + literal.size()});
    return found;
  };
}

TextPattern character_pattern(bool (*is_in_class)(char32_t)) {
  return [is_in_class](std::string_view text) {
    std::vector<TokenSpan> found;
    for (std::size_t at = 0; at < text.size();) {
      const std::size_t begin = at;
      if (is_in_class(next_code_point(text, at))) found.push_back({begin, at});
    }
    return found;
  };
}

TextPattern expression_pattern(std::string_view expression) {
  return
      [pattern = SplitPattern(expression)](std::string_view text) { return pattern.matches(text); };
}

TextPattern read_pattern(JsonObject& part, std::string_view member) {
  JsonObject pattern = part.object(member);
  if (pattern.find("Regex") != nullptr) {
    const std::string expression = pattern.text("Regex");
    pattern.finish();
    try {
      return expression_pattern(expression);
    } catch (const DataError& error) {
      throw DataError(fmt::format("{}: {}", part.where(), error.what()));
    }
  }
  std::string text = pattern.text("String");
  pattern.finish();
  if (text.empty()) part.refuse(member, "a text that is not empty");
  return literal_pattern(std::move(text));
}

}  // namespace attend::detail
