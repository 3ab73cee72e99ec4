// Text with elements in it, such as links and bold words, which follow their words into the
// translation.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include "attend/documents/translated_text.h"

namespace attend {

// An element around the bytes [begin, end) of a text, or a point in it if they are equal.
struct Mark {
  std::size_t begin = 0;
  std::size_t end = 0;
  std::string open;   // "<b>"
  std::string close;  // "</b>"
};

struct MarkedText {
  std::string text;
  // They are ordered by where they begin, outer ones first. Two marks do not overlap unless one
  // holds the other.
  std::vector<Mark> marks;
  bool spaces_within = false;  // white space at the ends of an element belongs into it
};

// The k-th translation with the marks around the words that translate theirs, by the alignment. An
// element whose words are apart in the translation appears more than once. `escape`: text as it is
// written between marks.
std::string with_marks(const MarkedText& source, const TranslatedText& translated, std::size_t k,
                       const std::function<std::string(std::string_view)>& escape);

}  // namespace attend
