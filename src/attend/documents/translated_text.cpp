#include "attend/documents/translated_text.h"

#include <algorithm>
#include <utility>

namespace attend {

const TranslationCandidate& TranslatedText::candidate(std::size_t sentence, std::size_t k) const {
  const auto& candidates = translations[sentence].candidates;
  return candidates[std::min(k, candidates.size() - 1)];
}

std::string TranslatedText::translation(std::size_t k) const {
  std::vector<std::string> replacements;
  for (std::size_t i = 0; i < sentences.size(); ++i) replacements.push_back(candidate(i, k).text);
  return with_replaced(text, sentences, replacements);
}

std::vector<std::string> TranslatedTexts::sentences() const {
  std::vector<std::string> all;
  for (const TranslatedText& one : texts)
    for (const TextSpan span : one.sentences) all.emplace_back(span.of(one.text));
  return all;
}

void TranslatedTexts::set_translations(std::vector<Translation> translations) {
  auto next = translations.begin();
  for (TranslatedText& one : texts)
    for (std::size_t i = 0; i < one.sentences.size(); ++i)
      one.translations.push_back(std::move(*next++));
}

TranslatedTexts cut_texts(std::vector<std::string> texts, std::string_view language,
                          const std::function<bool(std::string_view)>& fits) {
  TranslatedTexts all;
  for (std::string& text : texts) {
    std::vector<TextSpan> sentences;
    for (const TextSpan sentence : find_sentences(text, language)) {
      const std::vector<TextSpan> parts = cut_at_clauses(text, sentence, fits);
      if (parts.size() > 1) ++all.cut;
      sentences.insert(sentences.end(), parts.begin(), parts.end());
    }
    all.texts.push_back({std::move(text), std::move(sentences), {}});
  }
  return all;
}

}  // namespace attend
