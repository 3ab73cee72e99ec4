#include "attend/text/vocabulary.h"

#include <fmt/format.h>

#include "attend/core/strings/quote.h"
#include "attend/core/strings/utf8.h"
#include "attend/error.h"

namespace attend::detail {
namespace {

// Larger than any vocabulary in use.
constexpr std::size_t kMostListedPieces = std::size_t{1} << 22;
constexpr std::size_t kLongestListedPiece = 4096;

void check_listed_piece(const std::string& piece) {
  if (piece.empty()) throw DataError("a piece is empty");
  if (!is_utf8(piece)) throw DataError(fmt::format("the piece {} is not UTF-8", quote(piece)));
  if (piece.size() > kLongestListedPiece)
    throw DataError(fmt::format("a piece has {} bytes, expected at most {}", piece.size(),
                                kLongestListedPiece));
}

}  // namespace

Vocabulary::Vocabulary(PieceList list) : list_(std::move(list)) {
  if (list_.pieces.empty() || list_.pieces.size() > kMostListedPieces)
    throw DataError(
        fmt::format("expected 1 to {} pieces, found {}", kMostListedPieces, list_.pieces.size()));
  ids_.reserve(list_.pieces.size());
  for (const std::string& piece : list_.pieces) {
    check_listed_piece(piece);
    if (!ids_.emplace(piece, static_cast<std::int32_t>(ids_.size())).second)
      throw DataError(fmt::format("the piece {} appears twice", quote(piece)));
  }
  require(list_.controls, "a control piece");
  is_control_.resize(list_.pieces.size());
  for (const std::int32_t id : list_.controls) is_control_[static_cast<std::size_t>(id)] = true;
  const SpecialTokens& special = list_.special;
  for (const std::int32_t id : {special.bos, special.eos, special.pad, special.unk}) {
    if (id < -1 || id >= size())
      throw DataError(fmt::format("a special token has the id {} of {} pieces", id, size()));
    if (id >= 0 && id != special.unk && !is_control(id))
      throw DataError(fmt::format("the special token {} is no control piece", quote(piece(id))));
  }
}

std::int32_t Vocabulary::find(std::string_view piece) const {
  const auto found = ids_.find(piece);
  return found == ids_.end() ? -1 : found->second;
}

void Vocabulary::require(std::span<const std::int32_t> ids, std::string_view what) const {
  for (const std::int32_t id : ids)
    if (id < 0 || id >= size())
      throw DataError(fmt::format("{} has the id {} of {} pieces", what, id, size()));
}

}  // namespace attend::detail
