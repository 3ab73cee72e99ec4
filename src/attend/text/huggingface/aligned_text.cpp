#include "attend/text/huggingface/aligned_text.h"

#include <utility>

namespace attend::detail {

AlignedText::AlignedText(std::string_view text, std::size_t begin) {
  reserve(text.size());
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t first = at;
    const char32_t c = next_code_point(text, at);
    const Source source{static_cast<std::uint32_t>(begin + first),
                        static_cast<std::uint32_t>(begin + at)};
    if (c == U'\uFFFD') {
      append(c, source);
    } else {
      append(text.substr(first, at - first), source);
    }
  }
}

void AlignedText::move_last_character(Source source) {
  const std::size_t first = begin_of_character_before(bytes_, bytes_.size());
  std::fill(sources_.begin() + static_cast<std::ptrdiff_t>(first), sources_.end(), source);
}

void AlignedText::append(const AlignedText& other, std::size_t begin, std::size_t end) {
  bytes_ += other.bytes(begin, end);
  sources_.insert(sources_.end(), other.sources_.begin() + static_cast<std::ptrdiff_t>(begin),
                  other.sources_.begin() + static_cast<std::ptrdiff_t>(end));
}

void prepend(AlignedText& text, std::string_view before) {
  AlignedText result;
  result.reserve(before.size() + text.size());
  result.append(before, text.source(0));
  result.append(text, 0, text.size());
  text = std::move(result);
}

}  // namespace attend::detail
