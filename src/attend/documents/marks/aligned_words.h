// The words of a sentence and of its translation, and which translates which.
#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

#include "attend/documents/sentences/sentences.h"
#include "attend/translator.h"

namespace attend {

// A word between white space, or a character of a script without spaces. [core_begin, core_end) is
// the word without the punctuation around it; of punctuation alone, all of it.
struct SentenceWord {
  TextSpan span;
  std::size_t core_begin = 0;
  std::size_t core_end = 0;
  std::size_t between_spaces = 0;  // the number of the word between white space
};

std::vector<SentenceWord> words_of_sentence(std::string_view text, TextSpan sentence);

// A sentence or its translation.
struct WordsOfText {
  std::string_view text;
  TextSpan span;
  std::vector<SentenceWord> words;  // at least one
};

// Returns the number of the source word that each word of a translation translates: by the
// alignment of words, or of tokens where a script has no spaces between words, else the word at the
// relative place. `source_tokens`: those of the source; empty: unknown.
std::vector<std::size_t> aligned_words(const WordsOfText& source,
                                       const std::vector<std::string>& source_tokens,
                                       const WordsOfText& target,
                                       const TranslationCandidate& translation);

}  // namespace attend
