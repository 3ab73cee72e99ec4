// What stands in a block of Markdown: words, emphasis, links, code.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "attend/documents/markdown/blocks.h"

namespace attend::markdown {

enum class TokenKind { text, open, close, point, line_break };

struct Token {
  TokenKind kind = TokenKind::text;
  std::string raw = {};  // as it is written: "**", "](address)", "`code`"
  std::string said =
      {};  // what a text says; of a mark what it is: "<strong>", its raw form if nothing
  std::string name = {};  // what the two tokens of a mark have in common
  std::size_t line = 0;   // of a line break: the number of the line that it ends
};

// The tokens of a block whose lines are joined with line breaks. A line break that readers do not
// see is a space.
std::vector<Token> inlines_of(std::string_view block, const Blocks& document);

}  // namespace attend::markdown
