// Documents with markup whose texts are translated, and nothing else.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "attend/documents/text_blocks.h"

namespace attend {

// HTML, well-formed or not, or a part of an office file. What is not text stays byte for byte:
// tags, comments, and the content of script, style, code, pre, textarea, and of elements with
// translate="no".
class MarkupDocument {
 public:
  // Throw TooLongError for more than a million tags and texts.

  // A document of HTML, or a fragment of one.
  static MarkupDocument html(std::string_view text);
  // The text of an OpenDocument file (content.xml).
  static MarkupDocument open_document(std::string_view xml);
  // A part of a Word file (word/document.xml).
  static MarkupDocument word(std::string_view xml);

  // The texts between the tags of blocks, such as paragraphs, without escapes; the tags within
  // them, such as links, are marks.
  const std::vector<MarkedText>& blocks() const { return parts_.blocks; }

  // Memory that it takes.
  std::size_t bytes() const;

  // The document with the k-th translations of its blocks.
  std::string translation(std::span<const TranslatedText> translated, std::size_t k) const;

 private:
  using Escape = std::string (*)(std::string_view text);
  MarkupDocument(TextBlocks parts, Escape escape) : parts_(std::move(parts)), escape_(escape) {}

  TextBlocks parts_;
  Escape escape_;
};

}  // namespace attend
