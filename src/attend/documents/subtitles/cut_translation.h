// Cuts the translation of a text that goes over several cues into these cues, and into lines.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "attend/documents/marks/marked_text.h"

namespace attend {

// The part of a text in one cue.
struct CuePart {
  std::size_t end = 0;              // byte of the text where the next part begins
  std::vector<std::size_t> breaks;  // bytes where its lines begin, but for the first one
};

struct CueLayout {
  std::size_t width = 42;  // characters of a line
  std::string line_end = "\n";
  std::function<std::string(std::string_view)> escape;  // text as it is written between tags
};

// The k-th translation in as many parts as the source, each with at most as many lines. Parts end
// between words, at the place that the alignment and the lengths of the source parts suggest. Lines
// are as long as those of the source, or of equal length where one would be too long. A tag that
// goes over a cut is closed before it and opened again.
std::vector<std::string> cut_translation(const MarkedText& source, std::span<const CuePart> parts,
                                         const TranslatedText& translated, std::size_t k,
                                         const CueLayout& layout);

// What may stand on a line of its own: a word, or a letter of a script without spaces with the
// punctuation after it.
struct CueWord {
  TextSpan place;
  bool has_space = false;  // before it
  std::size_t width = 0;   // in characters
};
std::vector<CueWord> cue_words(std::string_view text);

// Cuts words [begin, end) into at most `lines` lines, where words begin. `shares`: where the lines
// of the source end, ascending, in parts of 1; one less than lines.
std::vector<std::size_t> break_lines(std::span<const CueWord> words, std::span<const double> shares,
                                     std::size_t width);

}  // namespace attend
