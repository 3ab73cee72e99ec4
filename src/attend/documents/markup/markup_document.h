// Documents with markup whose texts are translated, and nothing else.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "attend/documents/markup/text_blocks.h"

namespace attend {

// HTML, well-formed or not, or a part of an office file. What is not text stays byte for byte:
// tags, comments, and the content of script, style, code, pre, textarea, and of elements with
// translate="no".
class MarkupDocument {
 public:
  // Text as it is written between tags.
  using Escape = std::string (*)(std::string_view text);
  MarkupDocument(TextBlocks parts, Escape escape) : parts_(std::move(parts)), escape_(escape) {}

  // A document of HTML, or a fragment of one. Throws TooLongError for more than a million tags and
  // texts.
  static MarkupDocument html(std::string_view text);
  // The same for well-formed XHTML, which stays well-formed.
  static MarkupDocument xhtml(std::string_view text);
  // The same for any XML, or what may stand in an element of it. An element is a block, unless
  // there is text beside it in the element around it. Throws DataError unless it is well-formed.
  static MarkupDocument xml(std::string_view text);

  // The texts between the tags of blocks, such as paragraphs, without escapes; the tags within
  // them, such as links, are marks. Those of insets are not among them.
  const std::vector<MarkedText>& blocks() const { return parts_.blocks; }

  // All texts: those of the insets of a block follow it.
  // Each goes on with the one before.
  std::vector<SourceText> texts() const;
  std::size_t count_texts() const;

  // Memory that it takes.
  std::size_t bytes() const;

  // The document with the k-th translations of its texts.
  std::string translation(std::span<const TranslatedText> translated, std::size_t k) const;

 private:
  TextBlocks parts_;
  Escape escape_;
};

}  // namespace attend
