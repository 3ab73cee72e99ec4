// Raw text as the text that a model was trained on. Many public corpora are lower-cased, or split
// words from punctuation; models of such text translate raw text badly.
//
//   options.preparation = {.lowercase = true, .tokenize = attend::WordSplitting::moses};
//
// What a model reads is prepared, and translations are raw text again. Tokens, alignments and
// places in a text are those of the text that the model reads.
#pragma once

#include <string>

#pragma GCC visibility push(default)
namespace attend {

// How words are split from punctuation; moses: as the Moses tools do, with their escapes (&apos;).
enum class WordSplitting { none, moses };

struct TextPreparation {  // in this order
  bool lowercase = false;
  bool normalize_punctuation = false;  // typographic quotes, dashes and spaces become ASCII
  WordSplitting tokenize = WordSplitting::none;
  // The language of the text, whose rules the last two follow: en, de or fr. Empty: the model's
  std::string language = {};
  // The same of translations: of their prefixes and phrases, of the targets to score
  std::string tgt_language = {};
  bool detokenize = true;  // with `tokenize`: joins words and punctuation of translations again
};

}  // namespace attend
#pragma GCC visibility pop
