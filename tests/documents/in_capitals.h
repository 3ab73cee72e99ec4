// A translation that one can read: into capitals.
#pragma once

#include <string>
#include <vector>

#include "attend/documents/document.h"

namespace attend {

// Small letters become capitals, word for word.
inline TranslatedTexts in_capitals(const std::vector<SourceText>& texts) {
  TranslatedTexts all;
  for (const SourceText& source : texts) {
    const std::string& text = source.text;
    TranslatedText& one = all.texts.emplace_back();
    one.text = text;
    one.sentences = find_sentences(text, "en");
    for (const TextSpan span : one.sentences) {
      TranslationCandidate candidate;
      candidate.text = span.of(text);
      int words = 1;
      for (char& c : candidate.text) {
        if (c == ' ') ++words;
        if (c >= 'a' && c <= 'z') c = static_cast<char>(c - 'a' + 'A');
      }
      for (int i = 0; i < words; ++i) candidate.alignment.emplace_back(i, i);
      one.translations.push_back({{candidate}, {}});
    }
  }
  return all;
}

// The file with its texts in capitals.
inline std::string file_in_capitals(const std::string& name, const std::string& content) {
  Documents documents;
  documents.push_back(read_document(name, content));
  return translations_of(documents, in_capitals(texts_of(documents)), 0).front();
}

}  // namespace attend
