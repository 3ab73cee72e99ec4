#include "attend/documents/markup/markup_document.h"

#include "attend/documents/markup/html_characters.h"
#include "attend/documents/markup/markup_pieces.h"

namespace attend {
MarkupDocument MarkupDocument::html(std::string_view text) {
  return {blocks_of(all_pieces(text, MarkupLanguage::html), false), escaped_markup};
}

std::size_t MarkupDocument::bytes() const {
  std::size_t all = 0;
  for (const std::string& part : parts_.between) all += sizeof part + part.size();
  for (const MarkedText& block : blocks()) {
    all += sizeof block + block.text.size();
    for (const Mark& mark : block.marks) all += sizeof mark + mark.open.size() + mark.close.size();
  }
  return all;
}

std::string MarkupDocument::translation(std::span<const TranslatedText> translated,
                                        std::size_t k) const {
  std::string out = parts_.between.front();
  for (std::size_t i = 0; i < blocks().size(); ++i) {
    out += with_marks(blocks()[i], translated[i], k, escape_);
    out += parts_.between[i + 1];
  }
  return out;
}

}  // namespace attend
