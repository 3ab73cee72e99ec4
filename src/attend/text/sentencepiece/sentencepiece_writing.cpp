#include "attend/text/sentencepiece/sentencepiece_writing.h"

#include <fmt/format.h>

#include <algorithm>
#include <unordered_map>
#include <unordered_set>

#include "attend/core/strings/quote.h"
#include "attend/core/strings/utf8.h"
#include "attend/error.h"
#include "attend/text/sentencepiece/wire_reader.h"
#include "attend/text/sentencepiece/wire_writer.h"

namespace attend {
namespace {

using detail::ModelPiece;
using detail::PieceType;
using detail::SentencePieceModel;
using detail::WireWriter;

// Field numbers of a model, its pieces, trainer and normalizer.
constexpr std::uint32_t kPieces = 1, kTrainer = 2, kNormalizer = 3, kSelfTest = 4;
constexpr std::uint32_t kPieceText = 1, kPieceScore = 2, kPieceType = 3;
constexpr std::uint32_t kModelType = 3, kByteFallback = 35, kUnknownSurface = 44, kUnkPiece = 45,
                        kBosPiece = 46, kEosPiece = 47, kPadPiece = 48;
constexpr std::uint32_t kCharacterMap = 2, kDummyPrefix = 3, kRemoveExtraSpaces = 4,
                        kEscapeSpaces = 5;

void add_piece(WireWriter& model, const ModelPiece& piece) {
  WireWriter message;
  message.bytes(kPieceText, piece.text);
  message.number(kPieceScore, piece.score);
  message.number(kPieceType, static_cast<std::uint64_t>(piece.type));
  if (piece.stands_in) message.number(detail::kStandsInField, std::uint64_t{1});
  model.bytes(kPieces, message.message());
}

// A missing special piece gets a name that no piece has.
void add_special(WireWriter& trainer, const SpecialPieces& special) {
  const auto name = [](const std::string& piece) {
    return piece.empty() ? std::string_view("\x01") : std::string_view(piece);
  };
  trainer.bytes(kUnkPiece, name(special.unk));
  trainer.bytes(kBosPiece, name(special.bos));
  trainer.bytes(kEosPiece, name(special.eos));
  trainer.bytes(kPadPiece, name(special.pad));
}

bool is_in_text(PieceType type) {
  return type == PieceType::normal || type == PieceType::user_defined || type == PieceType::byte;
}

using PiecesByText = std::unordered_map<std::string_view, const ModelPiece*>;

PiecesByText by_text(const SentencePieceModel& model) {
  PiecesByText pieces;
  for (const ModelPiece& piece : model.pieces) pieces.emplace(piece.text, &piece);
  return pieces;
}

std::unordered_set<std::string_view> set_of_pieces(const VocabularyOrder& order) {
  std::unordered_set<std::string_view> pieces;
  for (const std::string& piece : order.pieces)
    if (!pieces.insert(piece).second)
      throw DataError(fmt::format("tokenizer: the piece {} has two ids", quote(piece)));
  for (const std::string* special : {&order.special.bos, &order.special.eos, &order.special.pad})
    if (!special->empty() && !pieces.contains(*special))
      throw DataError(fmt::format("tokenizer: the special piece {} has no id", quote(*special)));
  if (!pieces.contains(order.special.unk))
    throw DataError(
        fmt::format("tokenizer: the unknown piece {} has no id", quote(order.special.unk)));
  return pieces;
}

bool is_one_character(std::string_view text) {
  constexpr std::string_view kSpace = "▁";
  return count_code_points(text) == 1 && text != kSpace;
}

// What SentencePiece counts a character as that no piece has: a piece of this score changes nothing
// for the text around it.
float score_of_unknown(const SentencePieceModel& model) {
  constexpr float kPenalty = 10.0f;
  float least = 0.0f;
  for (const ModelPiece& piece : model.pieces)
    if (piece.type == PieceType::normal) least = std::min(least, piece.score);
  return least - kPenalty;
}

std::unordered_set<std::string_view> control_set(const VocabularyOrder& order) {
  std::unordered_set<std::string_view> controls(order.controls.begin(), order.controls.end());
  for (const std::string* special : {&order.special.bos, &order.special.eos, &order.special.pad})
    if (!special->empty()) controls.insert(*special);
  return controls;
}

}  // namespace

std::string sentencepiece_bytes(const SentencePieceDescription& d) {
  WireWriter model, trainer, normalizer;
  for (const SentencePieceDescription::Piece& piece : d.pieces)
    add_piece(model, {piece.text, piece.score, piece.type});
  trainer.number(kModelType, static_cast<std::uint64_t>(d.type));
  trainer.number(kByteFallback, std::uint64_t{d.byte_fallback});
  trainer.bytes(kUnknownSurface, d.unknown_surface);
  add_special(trainer, d.special);
  normalizer.bytes(kCharacterMap, d.character_map);
  normalizer.number(kDummyPrefix, std::uint64_t{d.dummy_prefix});
  normalizer.number(kRemoveExtraSpaces, std::uint64_t{d.remove_extra_spaces});
  normalizer.number(kEscapeSpaces, std::uint64_t{1});
  model.bytes(kTrainer, trainer.message());
  model.bytes(kNormalizer, normalizer.message());
  return model.message();
}

std::vector<std::string> sentencepiece_pieces(std::string_view bytes) {
  std::vector<std::string> pieces;
  for (const ModelPiece& piece : detail::read_sentencepiece_model(bytes).pieces)
    pieces.emplace_back(piece.text);
  return pieces;
}

std::int64_t count_pieces_without_id(std::string_view bytes, const VocabularyOrder& order) {
  const auto known = set_of_pieces(order);
  std::int64_t count = 0;
  for (const ModelPiece& piece : detail::read_sentencepiece_model(bytes).pieces)
    count += is_in_text(piece.type) && !known.contains(piece.text);
  return count;
}

std::string reorder_sentencepiece(std::string_view bytes, const VocabularyOrder& order) {
  const SentencePieceModel model = detail::read_sentencepiece_model(bytes);
  const PiecesByText pieces = by_text(model);
  const auto known = set_of_pieces(order), controls = control_set(order);
  // Byte-pair merges may pass through unused pieces, but never through control pieces.
  const PieceType foreign =
      model.type == detail::ModelType::bpe ? PieceType::control : PieceType::unused;
  const float unknown = score_of_unknown(model);
  WireWriter result;
  for (const std::string& text : order.pieces) {
    const auto found = pieces.find(text);
    const bool is_control = controls.contains(text), is_unknown = text == order.special.unk;
    const bool is_special = is_control || is_unknown;
    const bool has = found != pieces.end() && is_in_text(found->second->type) && !is_special;
    const bool is_new = !has && !is_special && is_one_character(text);
    PieceType type = has ? found->second->type : is_new ? PieceType::normal : foreign;
    if (is_control) type = PieceType::control;
    if (is_unknown) type = PieceType::unknown;
    add_piece(result, {text,
                       has      ? found->second->score
                       : is_new ? unknown
                                : 0.0f,
                       type, has ? found->second->stands_in : !is_special});
  }
  for (const ModelPiece& piece : model.pieces)
    if (is_in_text(piece.type) && !known.contains(piece.text)) add_piece(result, piece);
  WireWriter trainer;  // a repeated field replaces the earlier one
  trainer.bytes(kUnknownSurface, "");
  add_special(trainer, order.special);
  detail::WireReader reader(bytes);
  for (detail::WireField field; reader.next(field);) {
    const bool is_repeated = field.number == kTrainer && field.bytes == trainer.message();
    if (field.number != kPieces && field.number != kSelfTest && !is_repeated &&
        field.number != detail::kFirstUnknownPieceField)
      result.whole(field.whole);
  }
  result.bytes(kTrainer, trainer.message());
  result.number(detail::kFirstUnknownPieceField, std::uint64_t{order.pieces.size()});
  return result.message();
}

bool is_reordered_sentencepiece(std::string_view bytes) {
  return detail::read_sentencepiece_model(bytes).first_unknown_piece !=
         SentencePieceModel{}.first_unknown_piece;
}

std::string restore_sentencepiece(std::string_view bytes, const std::vector<std::string>& pieces) {
  const SentencePieceModel model = detail::read_sentencepiece_model(bytes);
  const PiecesByText known = by_text(model);
  WireWriter result;
  for (const std::string& text : pieces) {
    const auto found = known.find(text);
    if (found == known.end())
      throw DataError(fmt::format("tokenizer: it has no piece {}", quote(text)));
    add_piece(result, *found->second);
  }
  for (std::size_t i = model.first_unknown_piece; i < model.pieces.size(); ++i)
    add_piece(result, model.pieces[i]);
  std::vector<std::string_view> rest;
  std::size_t last_trainer = 0;  // the one that reordering has added
  detail::WireReader reader(bytes);
  for (detail::WireField field; reader.next(field);) {
    if (field.number == kPieces || field.number == detail::kFirstUnknownPieceField) continue;
    if (field.number == kTrainer) last_trainer = rest.size();
    rest.push_back(field.whole);
  }
  for (std::size_t i = 0; i < rest.size(); ++i)
    if (i != last_trainer) result.whole(rest[i]);
  return result.message();
}

VocabularyOrder fairseq_order(std::string_view bytes, std::span<const std::string> more) {
  VocabularyOrder order{.pieces = {"<s>", "<pad>", "</s>", "<unk>"},
                        .controls = {more.begin(), more.end()},
                        .special = {.bos = "<s>", .eos = "</s>", .pad = "<pad>", .unk = "<unk>"}};
  const SentencePieceModel model = detail::read_sentencepiece_model(bytes);
  for (std::size_t i = 3; i < model.pieces.size(); ++i)
    order.pieces.emplace_back(model.pieces[i].text);
  order.pieces.insert(order.pieces.end(), more.begin(), more.end());
  return order;
}

}  // namespace attend
