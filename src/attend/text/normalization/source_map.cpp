#include "attend/text/normalization/source_map.h"

#include <algorithm>

#include "attend/core/strings/unicode.h"
#include "attend/core/strings/utf8.h"

namespace attend::detail {

bool continues_character(char32_t c) {
  const bool jamo = (c >= 0x1160 && c <= 0x11FF) || (c >= 0xD7B0 && c <= 0xD7FF);
  const bool control = (c < 0x20 || (c >= 0x7F && c < 0xA0)) && !is_white_space(c);
  return jamo || control || unicode::is_mark(c);
}

NormalizeCharacter character_normalizer(const TextNormalization& normalization) {
  return [normalization, after_space = true](std::string_view character) mutable {
    // Between characters that nothing changes, so that spaces are not outer ones.
    std::string text = normalized("|" + std::string(character) + "|", normalization);
    text = text.substr(1, text.size() - 2);
    if (!normalization.clean_spaces || text.empty()) return text;
    const bool joined = after_space && text.starts_with(' ');
    after_space = text.ends_with(' ');
    if (joined) text.erase(0, 1);
    return text;
  };
}

SourceMap::SourceMap(std::string_view text, const NormalizeCharacter& normalize) {
  std::size_t normalized = 0;
  for (std::size_t begin = 0, end = 0; begin < text.size(); begin = end) {
    next_code_point(text, end);
    for (std::size_t next = end; next < text.size(); end = next)
      if (!continues_character(next_code_point(text, next))) break;
    const std::size_t length = normalize(text.substr(begin, end - begin)).size();
    if (length > 0) characters_.push_back({normalized, begin, end});
    normalized += length;
  }
}

const SourceMap::Character& SourceMap::at(std::size_t normalized) const {
  const auto after = std::upper_bound(
      characters_.begin(), characters_.end(), normalized,
      [](std::size_t position, const Character& c) { return position < c.normalized; });
  return *(after == characters_.begin() ? after : after - 1);
}

TokenSpan SourceMap::source(std::size_t begin, std::size_t end) const {
  if (characters_.empty()) return {};
  const std::size_t first = at(begin).begin;
  return {first, end > begin ? at(end - 1).end : first};
}

}  // namespace attend::detail
