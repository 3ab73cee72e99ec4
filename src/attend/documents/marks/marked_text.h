// Text with elements in it, such as links and bold words, which follow their words into the
// translation.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "attend/core/strings/utf8.h"
#include "attend/documents/sentences/translated_text.h"

namespace attend {

// An element around the bytes [begin, end) of a text, or a point in it.
struct Mark {
  std::size_t begin = 0;
  std::size_t end = 0;
  std::string open;   // "<b>"
  std::string close;  // "</b>"
  int parent = -1;    // number of the mark that holds it; -1: none
  bool space_after =
      false;       // a space follows the point that is not in the text, which has it before
  int inset = -1;  // number of the document that stands in the point (text_blocks.h); -1: none
};

struct MarkedText {
  std::string text = {};
  // They are ordered by their opening tags. Two marks do not overlap unless one holds the other.
  std::vector<Mark> marks = {};
  // All text stands within the innermost marks around text, as in the runs of Word.
  bool text_in_marks = false;

  // Whether anything but white space is within a mark; if not, it is a point.
  bool has_text(const Mark& mark) const {
    return !is_blank(std::string_view(text).substr(mark.begin, mark.end - mark.begin));
  }
};

// The text, cut where its marks begin and end.
SourceText source_text(const MarkedText& marked);

// The k-th translation with the marks around the words that translate theirs, by the alignment.
// Every mark appears once, within its parent; one whose words are apart in the translation holds
// most of them. `escape`: text as it is written between marks.
std::string with_marks(const MarkedText& source, const TranslatedText& translated, std::size_t k,
                       const std::function<std::string(std::string_view)>& escape);

}  // namespace attend
