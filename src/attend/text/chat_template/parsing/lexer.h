// The tokens of a template: what lies between {{ and }} or {% and %}, and the text around them.
// Private to text/.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace attend::chat_template {

// text: as it is written; name; string: its content; integer, real: as written; symbol: "==", "(",
// and "{{", "}}", "{%", "%}" themselves; end: of the template.
enum class TokenType { text, name, string, integer, real, symbol, end };

struct Token {
  TokenType type = TokenType::end;
  std::string text = {};
  int line = 1;
  std::string refusal = {};  // what Jinja reads and this does not, in a string
};

// Applies "-" and "+" beside the marks, and trim_blocks and lstrip_blocks as chat templates are
// written for: a line break after a block goes, and white space before one on its line. Line breaks
// become \n, and one at the end goes. Comments go, raw text stays. Throws DataError "line 3: ...".
std::vector<Token> tokens_of(std::string_view source);

// DataError "line 3: <reason>".
[[noreturn]] void fail_at(int line, std::string_view reason);

}  // namespace attend::chat_template
