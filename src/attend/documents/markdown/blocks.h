// The blocks of Markdown: which lines are paragraphs, headings and tables, and which stay as they
// are.
#pragma once

#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "attend/documents/sentences/sentences.h"

namespace attend::markdown {

enum class LeafKind { paragraph, heading, cell };

// A block of text without what stands around it, such as "> ", "# " or "|".
struct Leaf {
  LeafKind kind = LeafKind::paragraph;
  std::vector<TextSpan> lines;  // of the source, without line breaks
};

struct Blocks {
  std::vector<Leaf> leaves;         // in the order of the source
  std::set<std::string> labels;     // of the definitions of links, normalized
  std::set<std::string> footnotes;  // the same of footnotes: "^1"
};

// CommonMark 0.31 with the tables, task lists and footnotes of GitHub, and front matter.
Blocks blocks_of(std::string_view markdown);

// The cells of a row of a table.
std::vector<TextSpan> cells_of(std::string_view markdown, TextSpan row);

}  // namespace attend::markdown
