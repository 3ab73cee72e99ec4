#include "attend/text/sentencepiece/sentencepiece_model.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <utility>

#include "attend/core/strings/quote.h"
#include "attend/core/strings/utf8.h"
#include "attend/error.h"
#include "attend/text/sentencepiece/wire_reader.h"

namespace attend::detail {
namespace {

// More than any vocabulary has. This many empty pieces fit into a small file, but not into memory.
constexpr std::size_t kMostPieces = std::size_t{1} << 22;
constexpr std::size_t kUsualPieceBytes = 16;
// For pieces that the library matches by trie at every position of a text, or splits recursively.
constexpr std::size_t kLongestMatchedPiece = 1024;
// The library's limit for user-defined pieces that are prefixes of one another.
constexpr std::size_t kMostNestedPieces = 64;

// Like protobuf reads an enumeration: 32 bits, and only known values.
int enumeration(const WireField& field, int most) {
  const auto value = static_cast<std::int32_t>(static_cast<std::uint32_t>(field.value));
  return value >= 1 && value <= most ? value : 0;
}

void refuse_text(std::string_view what, std::string_view text) {
  if (!is_utf8(text)) throw DataError(fmt::format("{} {} is not UTF-8", what, quote(text)));
}

ModelPiece read_piece(std::string_view message) {
  ModelPiece piece;
  WireReader reader(message);
  for (WireField field; reader.next(field);) {
    if (field.is(1, WireType::bytes)) piece.text.assign(field.bytes);
    if (field.is(2, WireType::fixed32))
      piece.score = std::bit_cast<float>(static_cast<std::uint32_t>(field.value));
    if (const int type = field.is(3, WireType::varint) ? enumeration(field, 6) : 0; type > 0)
      piece.type = static_cast<PieceType>(type);
    if (field.is(kStandsInField, WireType::varint)) piece.stands_in = field.value != 0;
  }
  return piece;
}

// Texts end at a zero byte, as the library reads them.
std::string_view until_zero(std::string_view text) { return text.substr(0, text.find('\0')); }

// The library takes the usual text for an empty one.
void read_special(const WireField& field, SpecialTexts& special) {
  const SpecialTexts usual;
  const auto read = [&](std::uint32_t number, std::string_view& piece, std::string_view otherwise) {
    if (field.is(number, WireType::bytes))
      piece = field.bytes.empty() ? otherwise : until_zero(field.bytes);
  };
  read(45, special.unknown, usual.unknown);
  read(46, special.bos, usual.bos);
  read(47, special.eos, usual.eos);
  read(48, special.pad, usual.pad);
}

void read_trainer(std::string_view message, SentencePieceModel& model) {
  WireReader reader(message);
  std::size_t fields = 0;
  for (WireField field; reader.next(field); ++fields) {
    if (const int type = field.is(3, WireType::varint) ? enumeration(field, 4) : 0; type > 0)
      model.type = static_cast<ModelType>(type);
    if (field.is(24, WireType::varint)) model.spaces_end_words = field.value != 0;
    if (field.is(35, WireType::varint)) model.byte_fallback = field.value != 0;
    for (const auto& [number, id] :
         {std::pair{40, &model.unk_id}, std::pair{41, &model.bos_id}, std::pair{42, &model.eos_id}})
      if (field.is(number, WireType::varint)) *id = static_cast<std::int32_t>(field.value);
    if (field.is(44, WireType::bytes)) model.unknown_surface = until_zero(field.bytes);
    read_special(field, model.special);
    if (fields >= kMostPieces) throw DataError("its trainer_spec has too many fields");
  }
}

// Repeated fields of a message override earlier ones, as in protobuf.
void read_normalizer(std::string_view message, ModelNormalizer& normalizer) {
  WireReader reader(message);
  for (WireField field; reader.next(field);) {
    if (field.is(2, WireType::bytes)) normalizer.map_bytes = field.bytes;
    if (field.is(3, WireType::varint)) normalizer.dummy_prefix = field.value != 0;
    if (field.is(4, WireType::varint)) normalizer.remove_extra_spaces = field.value != 0;
    if (field.is(5, WireType::varint)) normalizer.escape_spaces = field.value != 0;
  }
}

// "<0x0A>"
bool is_byte(std::string_view text) {
  const auto is_digit = [](char c) { return (c >= '0' && c <= '9') || (c >= 'A' && c <= 'F'); };
  return text.size() == 6 && text.starts_with("<0x") && is_digit(text[3]) && is_digit(text[4]) &&
         text[5] == '>';
}

void check_piece(const ModelPiece& piece, const SentencePieceModel& model) {
  if (piece.text.empty()) throw DataError("a piece is empty");
  refuse_text("the piece", piece.text);
  if (!std::isfinite(piece.score))
    throw DataError(fmt::format("the piece {} has the score {}", quote(piece.text), piece.score));
  const bool in_trie = piece.type == PieceType::user_defined || model.type == ModelType::unigram;
  if (in_trie && piece.text.find('\0') != std::string_view::npos)
    throw DataError(fmt::format("the piece {} has a zero byte", quote(piece.text)));
  if (piece.type == PieceType::byte && !is_byte(piece.text))
    throw DataError(fmt::format("the byte piece {} is not like <0x0A>", quote(piece.text)));
  if ((in_trie || piece.type == PieceType::unused) && piece.text.size() > kLongestMatchedPiece)
    throw DataError(fmt::format("a piece has {} bytes, expected at most {}", piece.text.size(),
                                kLongestMatchedPiece));
}

// Sorted, so that a piece comes after its prefixes.
void check_nesting(const std::vector<ModelPiece>& pieces) {
  std::vector<std::string_view> sorted, beginnings;
  for (const ModelPiece& piece : pieces) {
    if (piece.type == PieceType::user_defined) sorted.push_back(piece.text);
  }
  std::sort(sorted.begin(), sorted.end());
  for (const std::string_view piece : sorted) {
    while (!beginnings.empty() && !piece.starts_with(beginnings.back())) beginnings.pop_back();
    beginnings.push_back(piece);
    if (beginnings.size() > kMostNestedPieces)
      throw DataError(fmt::format("more than {} user-defined pieces are prefixes of one another",
                                  kMostNestedPieces));
  }
}

void check(const SentencePieceModel& model) {
  if (model.pieces.empty()) throw DataError("it has no pieces");
  for (const ModelPiece& piece : model.pieces) check_piece(piece, model);
  check_nesting(model.pieces);
  refuse_text("what stands for unknown text,", model.unknown_surface);
}

}  // namespace

SentencePieceModel read_sentencepiece_model(std::string_view bytes) {
  SentencePieceModel model;
  ModelNormalizer denormalizer;
  model.pieces.reserve(std::min(bytes.size() / kUsualPieceBytes, kMostPieces));
  WireReader reader(bytes);
  for (WireField field; reader.next(field);) {
    if (field.is(1, WireType::bytes)) model.pieces.push_back(read_piece(field.bytes));
    if (field.is(2, WireType::bytes)) read_trainer(field.bytes, model);
    if (field.is(3, WireType::bytes)) read_normalizer(field.bytes, model.normalizer);
    if (field.is(5, WireType::bytes)) read_normalizer(field.bytes, denormalizer);
    if (field.is(kFirstUnknownPieceField, WireType::varint))
      model.first_unknown_piece = field.value;
    if (model.pieces.size() > kMostPieces)
      throw DataError(fmt::format("it has more than {} pieces", kMostPieces));
  }
  check(model);
  if (!model.normalizer.map_bytes.empty())
    model.characters = CharacterMap(model.normalizer.map_bytes);
  model.denormalizes = !denormalizer.map_bytes.empty();
  if (model.denormalizes) CharacterMap{denormalizer.map_bytes};
  return model;
}

std::string loadable_part(std::string_view bytes) {
  std::string part;
  part.reserve(bytes.size());
  WireReader reader(bytes);
  for (WireField field; reader.next(field);)
    if (!field.is(4, WireType::bytes)) part += field.whole;
  return part;
}

// The library looks a text up among the pieces that do not occur in texts, and then among those
// that do.
SpecialTokens special_tokens(const SentencePieceModel& model) {
  const auto occurs = [](const ModelPiece& piece) {
    return piece.type == PieceType::normal || piece.type == PieceType::user_defined ||
           piece.type == PieceType::unused;
  };
  const auto find = [&](bool in_texts, auto fits) {
    const auto found = std::find_if(
        model.pieces.begin(), model.pieces.end(),
        [&](const ModelPiece& piece) { return occurs(piece) == in_texts && fits(piece); });
    return found == model.pieces.end()
               ? -1
               : static_cast<std::int32_t>(std::distance(model.pieces.begin(), found));
  };
  const auto special = [&](std::string_view text, PieceType type) {
    const std::int32_t id = find(false, [&](const ModelPiece& p) { return p.text == text; });
    return id >= 0 && model.pieces[static_cast<std::size_t>(id)].type == type ? id : -1;
  };
  const auto has = [&](std::string_view text) {
    const auto fits = [&](const ModelPiece& piece) { return piece.text == text; };
    return find(false, fits) >= 0 || find(true, fits) >= 0;
  };
  // A text that is no piece is unknown.
  const std::int32_t unknown =
      has(model.special.unknown)
          ? special(model.special.unknown, PieceType::unknown)
          : find(false, [](const ModelPiece& p) { return p.type == PieceType::unknown; });
  return {special(model.special.bos, PieceType::control),
          special(model.special.eos, PieceType::control),
          special(model.special.pad, PieceType::control), unknown};
}

}  // namespace attend::detail
