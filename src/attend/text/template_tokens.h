// The tokens of a template: what lies between {{ and }} or {% and %}, and the text around them.
// Private to text/.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace attend::detail {

// text: as it is written; name, string, number: their text, a string without quotes and escapes;
// symbol: "==", "(", and "{{", "}}", "{%", "%}" themselves; end: of the template.
enum class TemplateTokenType { text, name, string, number, symbol, end };

struct TemplateToken {
  TemplateTokenType type = TemplateTokenType::end;
  std::string text = {};
  int line = 1;
};

// Applies "-" beside the marks, and trim_blocks and lstrip_blocks as chat templates are written
// for: a line break after a block goes, and white space before one on its line. Comments go.
// Throws DataError with the line.
std::vector<TemplateToken> template_tokens(std::string_view source);

// DataError "line 3: <reason>".
[[noreturn]] void refuse_template(int line, std::string_view reason);

}  // namespace attend::detail
