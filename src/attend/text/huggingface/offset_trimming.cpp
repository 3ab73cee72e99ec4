#include "attend/text/huggingface/offset_trimming.h"

#include <algorithm>
#include <string>
#include <vector>

#include "attend/core/strings/utf8.h"
#include "attend/text/byte_bpe/byte_letters.h"
#include "attend/text/normalization/normalization.h"

namespace attend::detail {
namespace {

bool is_space(std::string_view character) {
  std::size_t at = 0;
  return character == letter_of(' ') || has_white_space_property(next_code_point(character, at));
}

std::size_t forward(std::string_view text, std::size_t at, std::ptrdiff_t characters) {
  for (; characters > 0 && at < text.size(); --characters) next_code_point(text, at);
  return at;
}

// No step back if there are not as many characters.
std::size_t backward(std::string_view text, std::size_t end, std::ptrdiff_t characters) {
  const auto is_inside = [&](std::size_t at) {
    return (static_cast<unsigned char>(text[at]) & 0xC0) == 0x80;
  };
  std::size_t at = end;
  for (; characters > 0; --characters) {
    if (at == 0) return end;
    for (--at; at > 0 && is_inside(at);) --at;
  }
  return at;
}

}  // namespace

TokenSpan trimmed(std::string_view text, std::string_view token, TokenSpan span,
                  OffsetTrimming trimming, bool is_first) {
  if (trimming == OffsetTrimming::none) return span;
  const std::vector<std::string_view> letters = characters_of(token);
  auto leading = std::find_if_not(letters.begin(), letters.end(), is_space) - letters.begin();
  const auto trailing =
      std::find_if_not(letters.rbegin(), letters.rend(), is_space) - letters.rbegin();
  if (is_first && leading == 1 && trimming == OffsetTrimming::all_but_one) leading = 0;
  span.begin = std::min(forward(text, span.begin, leading), span.end);
  if (trailing > 0) span.end = std::max(backward(text, span.end, trailing), span.begin);
  return span;
}

}  // namespace attend::detail
