// What is wrong with the sentences of a text, whatever the text and its language are.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "attend/core/strings/utf8.h"
#include "attend/documents/sentences/sentences.h"

namespace attend {

inline bool is_white_at_an_end(std::string_view text) {
  const std::vector<std::string_view> all = characters_of(text);
  return is_blank(all.front()) || is_blank(all.back());
}

// Empty if the sentences are parts of the text, in order, without white space at their ends, and
// nothing but white space is between them; else what is wrong.
inline std::string fault_in(std::string_view text, const std::vector<TextSpan>& sentences) {
  std::size_t end = 0;
  for (const TextSpan span : sentences) {
    if (span.begin < end || span.end <= span.begin || span.end > text.size()) return "order";
    if (!is_blank(text.substr(end, span.begin - end))) return "lost text";
    if (is_white_at_an_end(span.of(text))) return "white space at an end";
    if (span.of(text).find('\n') != std::string_view::npos) return "two lines";
    end = span.end;
  }
  return is_blank(text.substr(end)) ? "" : "lost end";
}

}  // namespace attend
