// A sentence with spans that its translation must have exactly as they are, once each.
//
// The model does not see the spans. Tags are taken out and put back around the words that translate
// theirs, like those of a page; in place of any other span there is a word that models copy, which
// the search writes exactly once.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "attend/documents/marks/marked_text.h"
#include "attend/tasks/translation/stand_ins.h"
#include "attend/text/protection/span_patterns.h"
#include "attend/translator.h"

namespace attend {

class ProtectedSentence {
 public:
  // What there are no stand-ins for is taken out and put back as tags are.
  ProtectedSentence(std::string_view text, std::span<const ProtectedSpan> spans,
                    const StandIns& stand_ins);

  // What the model reads; empty if there is nothing to translate.
  const std::string& text() const { return marked_.text; }
  // The words that it has to write.
  std::vector<std::string> stand_ins() const;
  // Whether translations need alignments.
  bool has_marks() const { return !marked_.marks.empty(); }
  const std::string& original() const { return original_; }
  // text(), or a translation of it, with the spans that words stand in for, but without tags: what
  // is left to read and to compare.
  std::string readable_source() const;
  std::string readable(std::string_view translation) const;

  // Puts the spans into a translation of text(). Its alignment is then that of the words of both
  // texts, with all spans but those that were taken out.
  void restore(TranslationCandidate& candidate) const;

  // Bytes of a text in whose place another one has more or fewer.
  struct Edit {
    std::size_t at = 0;
    std::size_t size = 0;
    std::size_t size_after = 0;
  };

 private:
  struct Replaced {
    std::string stand_in;
    std::string original;
  };
  struct TakenOut {
    std::string_view tag;
    std::size_t at = 0;            // in the text
    bool has_space_after = false;  // which is not in the text
  };
  struct Restored {
    std::string text;
    std::vector<Edit> edits;
  };
  void add_marks(std::span<const TakenOut> taken);
  // The text with the spans of the stand-ins in it, but those that are written already.
  Restored with_spans(std::string_view text, std::vector<bool>& written) const;
  // The text, and behind it the spans that are not in it.
  std::string with_missing(std::string text, const std::vector<bool>& written) const;

  std::string original_;
  MarkedText marked_;  // what the model reads, and what was taken out
  std::vector<Replaced> replaced_;
};

}  // namespace attend
