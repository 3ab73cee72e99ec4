#include "attend/text/text_stream.h"

#include <algorithm>
#include <string_view>
#include <utility>

#include "attend/core/utf8.h"
#include "attend/text/meta_symbol.h"
#include "attend/text/tokenizer_model.h"

namespace attend {
namespace {

// A text is one line; only bytes or foreign pieces can contain line breaks.
void join_lines(std::string& text) {
  std::replace_if(
      text.begin(), text.end(), [](char c) { return c == '\n' || c == '\r'; }, ' ');
}

std::string with_spaces(std::string_view piece) {
  std::string text;
  for (std::size_t at = 0; at < piece.size();) {
    const std::size_t meta = std::min(piece.find(detail::kMetaSymbol, at), piece.size());
    text += piece.substr(at, meta - at);
    if (meta < piece.size()) text += ' ';
    at = meta + detail::kMetaSymbol.size();
  }
  return text;
}

// Whether `bytes` may become a character when more follow.
bool may_go_on(std::string_view bytes) {
  const auto lead = static_cast<unsigned char>(bytes.front());
  const std::size_t length = lead < 0xC0 ? 1 : lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : 4;
  if (bytes.size() >= length) return false;
  // Among the bytes that may follow a lead byte, the lowest or the highest is always allowed.
  const std::string low = std::string(bytes) + std::string(length - bytes.size(), '\x80');
  const std::string high = std::string(bytes) + std::string(length - bytes.size(), '\xBF');
  return is_utf8(low) || is_utf8(high);
}

}  // namespace

std::string TextStream::add(std::int32_t id) {
  tokenizer_.check(id);
  const Tokenizer::Model& model = *tokenizer_.model_;
  if (model.checked.denormalizes) {
    held_.push_back(id);
    return "";
  }
  const auto index = static_cast<std::size_t>(id);
  if (model.checked.pieces[index].type == detail::PieceType::control) return "";
  std::string text;
  if (model.checked.pieces[index].type == detail::PieceType::byte) {
    bytes_ += model.byte_of(id);
    text = whole_characters(false);
  } else {
    text = whole_characters(true);
    has_text_ = has_text_ || !text.empty();
    if (took_space_ || has_text_) at_start_ = false;
    text += surface(id);
  }
  has_text_ = has_text_ || !text.empty();
  if (!begun_ && id == tokenizer_.unk_id() && text.starts_with(' ')) text.erase(0, 1);
  begun_ = true;
  join_lines(text);
  return text;
}

std::string TextStream::finish() {
  std::string text = tokenizer_.model_->checked.denormalizes ? tokenizer_.model_->decode_all(held_)
                                                             : whole_characters(true);
  join_lines(text);
  *this = TextStream(std::move(tokenizer_));
  return text;
}

// The pending bytes as characters, with U+FFFD for each byte that cannot belong to one.
std::string TextStream::whole_characters(bool all) {
  std::string text;
  while (!bytes_.empty()) {
    std::size_t length = 0;
    const bool whole = next_code_point(bytes_, length) != U'\uFFFD' || length > 1;
    if (!whole && !all && may_go_on(bytes_)) break;
    text += whole ? bytes_.substr(0, length) : "\xEF\xBF\xBD";
    bytes_.erase(0, length);
  }
  return text;
}

// The text of a token that is not a byte. SentencePiece prepends a space to a text and removes it
// from the first token.
std::string TextStream::surface(std::int32_t id) {
  const detail::SentencePieceModel& model = tokenizer_.model_->checked;
  const detail::ModelNormalizer& normalizer = model.normalizer;
  const detail::ModelPiece& entry = model.pieces[static_cast<std::size_t>(id)];
  took_space_ = false;
  if (entry.type == detail::PieceType::unknown) return std::string(model.unknown_surface);
  std::string_view piece = entry.text;
  if (at_start_ && (normalizer.dummy_prefix || normalizer.remove_extra_spaces) &&
      piece.starts_with(detail::kMetaSymbol)) {
    piece.remove_prefix(detail::kMetaSymbol.size());
    took_space_ = !normalizer.remove_extra_spaces;
  }
  return with_spaces(piece);
}

}  // namespace attend
