// Documents in Markdown whose texts are translated, and nothing else.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "attend/documents/markdown/blocks.h"
#include "attend/documents/sentences/translated_text.h"

namespace attend {

// Paragraphs, headings and cells of tables are texts; emphasis, links and images are marks around
// their words; code and addresses are points. All other bytes stay. A text is written on one line,
// but for line breaks that readers see.
class MarkdownDocument {
 public:
  // Throws TooLongError for more than a million words and marks between punctuation.
  explicit MarkdownDocument(std::string_view markdown);

  std::vector<SourceText> texts() const;
  // Memory that it takes.
  std::size_t bytes() const;
  // The document with the k-th translations of its texts. What is in a translation is text: it is
  // escaped. A block whose translation cannot be written so that it says the same stays as it is.
  std::string translation(std::span<const TranslatedText> translated, std::size_t k) const;

 private:
  struct Block {
    markdown::LeafKind kind = markdown::LeafKind::paragraph;
    TextSpan span = {};                       // in the source
    std::string content = {};                 // its lines, joined
    std::vector<std::string> line_ends = {};  // what stands between them in the source
    std::size_t texts = 0;
  };

  std::string written(const Block& block, std::span<const TranslatedText> translated,
                      std::size_t k) const;

  std::string source_;
  markdown::Blocks blocks_;  // without its leaves
  std::vector<Block> leaves_;
};

}  // namespace attend
