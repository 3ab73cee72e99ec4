#include "attend/text/sentencepiece/sentencepiece_decoder.h"

#include "attend/text/sentencepiece/meta_symbol.h"

namespace attend::detail {

std::string SentencePieceDecoder::add(std::int32_t id) {
  const SentencePieceModel& model = engine_->model();
  if (model.denormalizes) {
    held_.push_back(id);
    return "";
  }
  const auto index = static_cast<std::size_t>(id);
  if (model.pieces[index].type == PieceType::control) return "";
  std::string text;
  if (model.pieces[index].type == PieceType::byte) {
    const char byte = engine_->byte_of(id);
    text = bytes_.add({&byte, 1});
  } else {
    text = bytes_.finish();
    has_text_ = has_text_ || !text.empty();
    if (took_space_ || has_text_) at_start_ = false;
    text += surface(id);
  }
  has_text_ = has_text_ || !text.empty();
  if (!begun_ && id == engine_->unknown() && text.starts_with(' ')) text.erase(0, 1);
  begun_ = true;
  return text;
}

std::string SentencePieceDecoder::finish() {
  std::string text = engine_->model().denormalizes ? engine_->decode_all(held_) : bytes_.finish();
  *this = SentencePieceDecoder(*engine_);
  return text;
}

// The text of a token that is not a byte. SentencePiece prepends a space to a text and removes it
// from the first token.
std::string SentencePieceDecoder::surface(std::int32_t id) {
  const SentencePieceModel& model = engine_->model();
  const ModelNormalizer& normalizer = model.normalizer;
  const ModelPiece& entry = model.pieces[static_cast<std::size_t>(id)];
  took_space_ = false;
  if (entry.type == PieceType::unknown) return std::string(model.unknown_surface);
  std::string_view piece = entry.text;
  if (at_start_ && (normalizer.dummy_prefix || normalizer.remove_extra_spaces) &&
      piece.starts_with(kMetaSymbol)) {
    piece.remove_prefix(kMetaSymbol.size());
    took_space_ = !normalizer.remove_extra_spaces;
  }
  return with_spaces(piece);
}

}  // namespace attend::detail
