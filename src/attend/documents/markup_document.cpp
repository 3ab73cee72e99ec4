#include "attend/documents/markup_document.h"

#include <fmt/format.h>

#include <utility>

#include "attend/core/too_long.h"
#include "attend/documents/html_characters.h"
#include "attend/documents/markup_pieces.h"
#include "attend/documents/office_pieces.h"

namespace attend {
namespace {

// The limit of a document. A novel has a tenth of it.
constexpr std::size_t kMostPieces = 1 << 20;

std::vector<MarkupPiece> pieces_of(std::string_view markup, MarkupLanguage language) {
  std::vector<MarkupPiece> pieces;
  MarkupReader reader(markup, language);
  for (MarkupPiece piece; reader.next(piece);) {
    if (pieces.size() == kMostPieces)
      throw TooLongError(fmt::format("the document has more than {} tags and texts", kMostPieces));
    pieces.push_back(piece);
  }
  return pieces;
}

}  // namespace

MarkupDocument MarkupDocument::html(std::string_view text) {
  return {blocks_of(pieces_of(text, MarkupLanguage::html), false), escaped_markup};
}

MarkupDocument MarkupDocument::open_document(std::string_view xml) {
  const PieceList list = open_document_pieces(pieces_of(xml, MarkupLanguage::xml));
  return {blocks_of(list.pieces, false), escaped_open_document};
}

MarkupDocument MarkupDocument::word(std::string_view xml) {
  const PieceList list = word_pieces(pieces_of(xml, MarkupLanguage::xml));
  return {blocks_of(list.pieces, true), escaped_word};
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
