// Whole texts: cut into sentences, which are translated, and put together again with their white
// space.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "attend/documents/sentences/sentences.h"
#include "attend/text/protection/span_patterns.h"
#include "attend/translator.h"

namespace attend {

// A text to translate.
struct SourceText {
  std::string text;
  std::vector<std::size_t> cuts = {};  // bytes where an element in it begins or ends, ascending
  bool goes_on = false;                // with what the text before it says
};

// A text and the translations of its sentences.
struct TranslatedText {
  std::string text;
  std::vector<TextSpan> sentences;        // those of the text
  std::vector<Translation> translations;  // one per sentence
  std::vector<std::size_t> cuts = {};     // those of the text
  bool goes_on = false;

  // The k-th translation of a sentence; the last one if there are fewer.
  const TranslationCandidate& candidate(std::size_t sentence, std::size_t k) const;
  // The text with the k-th translations, and the white space between them. Where a language without
  // spaces between sentences is on one side only, spaces are added or left out.
  std::string translation(std::size_t k) const { return joined(k).text; }

  // The same with the place of each sentence in it.
  struct Joined {
    std::string text;
    std::vector<TextSpan> sentences;
  };
  Joined joined(std::size_t k) const;
};

struct TranslatedTexts {
  std::vector<TranslatedText> texts;
  int alternatives = 0;  // those there are, besides the best
  int cut = 0;           // sentences that were too long for the model and cut at clauses

  // All sentences, in the order of the texts.
  std::vector<std::string> sentences() const;
  // Whether each of them has a cut between its words, so that its translation needs an alignment.
  std::vector<bool> cut_sentences() const;
  // The numbers of those that begin a text which does not go on with the one before.
  std::vector<std::size_t> first_sentences() const;
  // Takes the translations of sentences(), in their order.
  void set_translations(std::vector<Translation> translations);
};

// The texts, cut into sentences and without translations. A sentence that does not fit is cut
// further. `language`: that of the texts (sentences.h). No sentence ends within what `protect`
// finds.
TranslatedTexts cut_texts(std::vector<SourceText> texts, std::string_view language,
                          const SpanPatterns& protect,
                          const std::function<bool(std::string_view)>& fits);

}  // namespace attend
