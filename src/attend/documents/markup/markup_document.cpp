#include "attend/documents/markup/markup_document.h"

#include "attend/core/strings/utf8.h"
#include "attend/documents/markup/html_characters.h"
#include "attend/documents/markup/markup_pieces.h"
#include "attend/documents/markup/xml.h"

namespace attend {
namespace {

// Calls visit(block) for all blocks, those of insets behind the block that holds them.
template <class Visit>
void for_each_block(const TextBlocks& parts, const Visit& visit) {
  for (const MarkedText& block : parts.blocks) {
    visit(block);
    for (const Mark& mark : block.marks)
      if (mark.inset >= 0)
        for_each_block(parts.insets[static_cast<std::size_t>(mark.inset)], visit);
  }
}

std::size_t bytes_of(const TextBlocks& parts) {
  std::size_t all = 0;
  for (const std::string& part : parts.between) all += sizeof part + part.size();
  for (const MarkedText& block : parts.blocks) {
    all += sizeof block + block.text.size();
    for (const Mark& mark : block.marks) all += sizeof mark + mark.open.size() + mark.close.size();
  }
  for (const TextBlocks& inset : parts.insets) all += sizeof inset + bytes_of(inset);
  return all;
}

// Writes a document and takes its texts from the front of `rest`.
std::string written(const TextBlocks& parts, std::span<const TranslatedText>& rest, std::size_t k,
                    MarkupDocument::Escape escape) {
  std::string out = parts.between.front();
  for (std::size_t i = 0; i < parts.blocks.size(); ++i) {
    const TranslatedText& translated = rest.front();
    rest = rest.subspan(1);
    MarkedText block = parts.blocks[i];
    for (Mark& mark : block.marks)
      if (mark.inset >= 0)
        mark.open = written(parts.insets[static_cast<std::size_t>(mark.inset)], rest, k, escape);
    out += with_marks(block, translated, k, escape);
    out += parts.between[i + 1];
  }
  return out;
}

// Makes tags inline if there is text beside their element. Precondition: well-formed XML.
void find_inline_tags(std::vector<MarkupPiece>& pieces) {
  // For each piece, the number of the tag that opens the element around it, from 1; 0: none.
  std::vector<std::size_t> around(pieces.size());
  std::vector<std::size_t> open{0};
  std::vector<bool> has_text(pieces.size() + 1);
  for (std::size_t i = 0; i < pieces.size(); ++i) {
    const MarkupPiece& piece = pieces[i];
    if (piece.closes && open.size() > 1) open.pop_back();
    around[i] = open.back();
    if (piece.is_text && !is_blank(piece.text())) has_text[open.back()] = true;
    if (!piece.name.empty() && !piece.closes && !piece.closes_self) open.push_back(i + 1);
  }
  for (std::size_t i = 0; i < pieces.size(); ++i)
    if (!pieces[i].name.empty()) pieces[i].is_inline = has_text[around[i]];
}

}  // namespace

MarkupDocument MarkupDocument::html(std::string_view text) {
  return {blocks_of(all_pieces(text, MarkupLanguage::html), false), escaped_markup};
}

MarkupDocument MarkupDocument::xhtml(std::string_view text) {
  return {blocks_of(all_pieces(text, MarkupLanguage::xhtml), false), escaped_markup};
}

MarkupDocument MarkupDocument::xml(std::string_view text) {
  const bool is_whole = text.starts_with("<?xml") || text.starts_with("<!DOCTYPE");
  require_well_formed(is_whole ? std::string(text) : "<x>" + std::string(text) + "</x>", "XML");
  std::vector<MarkupPiece> pieces = all_pieces(text, MarkupLanguage::xml);
  find_inline_tags(pieces);
  return {blocks_of(pieces, false), escaped_markup};
}

std::vector<SourceText> MarkupDocument::texts() const {
  std::vector<SourceText> all;
  for_each_block(parts_, [&](const MarkedText& block) {
    all.push_back(source_text(block));
    all.back().goes_on = all.size() > 1;
  });
  return all;
}

std::size_t MarkupDocument::count_texts() const {
  std::size_t all = 0;
  for_each_block(parts_, [&](const MarkedText&) { ++all; });
  return all;
}

std::size_t MarkupDocument::bytes() const { return bytes_of(parts_); }

std::string MarkupDocument::translation(std::span<const TranslatedText> translated,
                                        std::size_t k) const {
  return written(parts_, translated, k, escape_);
}

}  // namespace attend
