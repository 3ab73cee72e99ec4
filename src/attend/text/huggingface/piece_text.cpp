#include "attend/text/huggingface/piece_text.h"

#include <array>
#include <cstddef>
#include <optional>
#include <string_view>
#include <utility>

#include "attend/core/strings/utf8.h"
#include "attend/text/byte_bpe/byte_letters.h"
#include "attend/text/sentencepiece/meta_symbol.h"
#include "attend/text/wordpiece/wordpiece.h"

namespace attend {
namespace {

void replace_all_of(std::string& text, std::string_view from, std::string_view to) {
  for (std::size_t at = 0; (at = text.find(from, at)) != text.npos; at += to.size())
    text.replace(at, from.size(), to);
}

std::string text_of_words(std::span<const std::string> pieces) {
  using Change = std::pair<std::string_view, std::string_view>;
  static constexpr std::array<Change, 11> kCleaned{
      Change{" .", "."}, {" ?", "?"},     {" !", "!"},    {" ,", ","},
      {" ' ", "'"},      {" n't", "n't"}, {" 'm", "'m"},  {" do not", " don't"},
      {" 's", "'s"},     {" 've", "'ve"}, {" 're", "'re"}};
  std::string text;
  for (const std::string& piece : pieces) {
    std::string next = piece;
    if (&piece != &pieces.front()) {
      if (next.starts_with(detail::kContinuation))
        next.erase(0, detail::kContinuation.size());
      else
        next.insert(0, 1, ' ');
    }
    for (const auto& [from, to] : kCleaned) replace_all_of(next, from, to);
    text += next;
  }
  return text;
}

// The bytes that a character needs after its first one, and the range of the second byte.
struct CharacterRest {
  std::size_t count = 0;
  unsigned char least = 0x80, most = 0xBF;
};

CharacterRest rest_of(unsigned char lead) {
  if (lead >= 0xC2 && lead <= 0xDF) return {1};
  if (lead == 0xE0) return {2, 0xA0, 0xBF};
  if (lead == 0xED) return {2, 0x80, 0x9F};
  if (lead >= 0xE1 && lead <= 0xEF) return {2};
  if (lead == 0xF0) return {3, 0x90, 0xBF};
  if (lead >= 0xF1 && lead <= 0xF3) return {3};
  if (lead == 0xF4) return {3, 0x80, 0x8F};
  return {};
}

// One U+FFFD for each longest beginning of a character that does not go on.
std::string with_replacements(std::string_view bytes) {
  if (is_utf8(bytes)) return std::string(bytes);
  std::string text;
  for (std::size_t at = 0; at < bytes.size();) {
    const auto lead = static_cast<unsigned char>(bytes[at]);
    const CharacterRest rest = rest_of(lead);
    std::size_t end = at + 1;
    for (; end < bytes.size() && end - at <= rest.count; ++end) {
      const auto byte = static_cast<unsigned char>(bytes[end]);
      const bool second = end == at + 1;
      if (byte < (second ? rest.least : 0x80) || byte > (second ? rest.most : 0xBF)) break;
    }
    const bool whole = lead < 0x80 || (rest.count > 0 && end - at == rest.count + 1);
    if (whole)
      text.append(bytes.substr(at, end - at));
    else
      append_code_point(text, 0xFFFD);
    at = end;
  }
  return text;
}

std::string text_of_bytes(std::span<const std::string> pieces) {
  std::string bytes;
  for (const std::string& piece : pieces) bytes += bytes_of_piece(piece);
  return with_replacements(bytes);
}

std::string text_of_meta_pieces(std::span<const std::string> pieces) {
  std::string text;
  for (const std::string& piece : pieces) {
    std::string next = piece;
    replace_all_of(next, detail::kMetaSymbol, &piece == &pieces.front() ? "" : " ");
    text += next;
  }
  return text;
}

}  // namespace

std::string bytes_of_piece(const std::string& piece) {
  return detail::bytes_of_letters(piece).value_or(piece);
}

std::string text_of_pieces(TokenizerType type, std::span<const std::string> pieces) {
  if (type == TokenizerType::wordpiece) return text_of_words(pieces);
  if (type == TokenizerType::byte_bpe) return text_of_bytes(pieces);
  return text_of_meta_pieces(pieces);
}

}  // namespace attend
