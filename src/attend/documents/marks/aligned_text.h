// A translated text in pieces, each with the piece of the source that it translates.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "attend/documents/sentences/translated_text.h"

namespace attend {

// A word of the translation, a part of one, or the punctuation at its end.
struct AlignedPiece {
  TextSpan target;
  TextSpan source;
};

struct AlignedText {
  std::string text;                  // the whole translation
  std::vector<AlignedPiece> pieces;  // in the order of the translation, without white space
};

// The k-th translation, by the alignments of its sentences: of its words, or of its tokens where a
// script has no spaces between words. A word that is not aligned goes with the source word at its
// relative place. `cuts`: bytes of the
// source, ascending. No piece of the source goes over one: where a cut is within a word, its
// translation is cut as well, between the same characters or at the relative place.
AlignedText align(const TranslatedText& translated, std::size_t k,
                  std::span<const std::size_t> cuts);

}  // namespace attend
