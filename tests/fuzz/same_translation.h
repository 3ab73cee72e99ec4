// A translation of a text into itself, for readers of documents.
#pragma once

#include <string>
#include <utility>

#include "attend/documents/sentences/translated_text.h"

namespace attend {

// Every sentence is its own translation, aligned byte by byte, from the end if `crosswise`.
inline TranslatedText same_translation(const std::string& whole, bool crosswise) {
  TranslatedText text{whole, find_sentences(whole, "en"), {}};
  for (const TextSpan span : text.sentences) {
    TranslationCandidate candidate;
    candidate.text = span.of(whole);
    const int words = static_cast<int>(candidate.text.size());
    for (int i = 0; i < words; ++i) candidate.alignment.emplace_back(crosswise ? words - i : i, i);
    text.translations.push_back({{std::move(candidate)}, {}});
  }
  return text;
}

}  // namespace attend
