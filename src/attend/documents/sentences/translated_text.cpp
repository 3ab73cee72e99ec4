#include "attend/documents/sentences/translated_text.h"

#include <algorithm>
#include <string_view>
#include <utility>

#include "attend/core/strings/unicode.h"
#include "attend/core/strings/utf8.h"
#include "attend/documents/sentences/clauses.h"

namespace attend {

namespace {

// Chinese and Japanese have no spaces between sentences; their punctuation is as wide as a letter.
bool needs_no_space(char32_t c) {
  return (c >= 0x2e80 && c < 0xa4d0) || (c >= 0xf900 && c < 0xfb00) ||
         (c >= 0xfe30 && c < 0xfe50) || (c >= 0xff00 && c < 0xfff0) ||
         (c >= 0x20000 && c < 0x40000);
}

char32_t last_of(std::string_view text) {
  if (text.empty()) return 0;
  std::size_t at = begin_of_character_before(text, text.size());
  return next_code_point(text, at);
}

char32_t first_of(std::string_view text) {
  std::size_t at = 0;
  return text.empty() ? 0 : next_code_point(text, at);
}

// A sentence without the spaces, punctuation and symbols around its words.
TextSpan words_of(std::string_view text, TextSpan sentence) {
  TextSpan words{sentence.begin, sentence.begin};
  for (std::size_t at = sentence.begin; at < sentence.end;) {
    const std::size_t before = at;
    const char32_t c = next_code_point(text, at);
    if (is_white_space(c) || unicode::is_punctuation(c) || unicode::is_symbol(c)) continue;
    if (words.end == sentence.begin) words.begin = before;
    words.end = at;
  }
  return words;
}

// What stands between two sentences: `gap` in the source, after `source`; in the translation
// between `before` and `next`.
std::string_view gap_between(std::string_view source, std::string_view gap, std::string_view before,
                             std::string_view next) {
  if (before.empty() || next.empty()) return gap;
  const bool is_free = needs_no_space(last_of(before)) && needs_no_space(first_of(next));
  if (gap.empty() && needs_no_space(last_of(source)) && !needs_no_space(last_of(before)) &&
      !is_free)
    return " ";
  return gap == " " && is_free ? "" : gap;
}

}  // namespace

const TranslationCandidate& TranslatedText::candidate(std::size_t sentence, std::size_t k) const {
  const auto& candidates = translations[sentence].candidates;
  return candidates[std::min(k, candidates.size() - 1)];
}

TranslatedText::Joined TranslatedText::joined(std::size_t k) const {
  Joined all;
  std::size_t at = 0;
  for (std::size_t i = 0; i < sentences.size(); ++i) {
    const std::string_view gap = std::string_view(text).substr(at, sentences[i].begin - at);
    const std::string& next = candidate(i, k).text;
    all.text +=
        i == 0 ? gap : gap_between(std::string_view(text).substr(0, at), gap, all.text, next);
    all.sentences.push_back({all.text.size(), all.text.size() + next.size()});
    all.text += next;
    at = sentences[i].end;
  }
  all.text += std::string_view(text).substr(at);
  return all;
}

std::vector<std::string> TranslatedTexts::sentences() const {
  std::vector<std::string> all;
  for (const TranslatedText& one : texts)
    for (const TextSpan span : one.sentences) all.emplace_back(span.of(one.text));
  return all;
}

std::vector<bool> TranslatedTexts::cut_sentences() const {
  std::vector<bool> all;
  for (const TranslatedText& one : texts) {
    for (const TextSpan span : one.sentences) {
      const TextSpan words = words_of(one.text, span);
      const auto next = std::upper_bound(one.cuts.begin(), one.cuts.end(), words.begin);
      all.push_back(next != one.cuts.end() && *next < words.end);
    }
  }
  return all;
}

std::vector<std::size_t> TranslatedTexts::first_sentences() const {
  std::vector<std::size_t> all;
  std::size_t before = 0;
  for (const TranslatedText& one : texts) {
    if (!one.goes_on && (all.empty() || all.back() < before)) all.push_back(before);
    before += one.sentences.size();
  }
  return all;
}

void TranslatedTexts::set_translations(std::vector<Translation> translations) {
  auto next = translations.begin();
  for (TranslatedText& one : texts) {
    one.translations.reserve(one.sentences.size());
    for (std::size_t i = 0; i < one.sentences.size(); ++i)
      one.translations.push_back(std::move(*next++));
  }
}

namespace {

// Joins sentences that end within a span.
std::vector<TextSpan> joined_over(const std::vector<TextSpan>& sentences,
                                  const std::vector<ProtectedSpan>& spans) {
  std::vector<TextSpan> joined;
  auto span = spans.begin();
  for (const TextSpan sentence : sentences) {
    while (span != spans.end() && span->end <= sentence.begin) ++span;
    const bool is_within = span != spans.end() && span->begin < sentence.begin;
    if (is_within && !joined.empty() && joined.back().end > span->begin) {
      joined.back().end = sentence.end;
    } else {
      joined.push_back(sentence);
    }
  }
  return joined;
}

}  // namespace

TranslatedTexts cut_texts(std::vector<SourceText> texts, std::string_view language,
                          const SpanPatterns& protect,
                          const std::function<bool(std::string_view)>& fits) {
  TranslatedTexts all;
  for (auto& [text, cuts, goes_on] : texts) {
    std::vector<TextSpan> sentences;
    for (const TextSpan sentence :
         joined_over(find_sentences(text, language), protect.find(text))) {
      const std::vector<TextSpan> parts = cut_at_clauses(text, sentence, fits);
      if (parts.size() > 1) ++all.cut;
      sentences.insert(sentences.end(), parts.begin(), parts.end());
    }
    all.texts.push_back({std::move(text), std::move(sentences), {}, std::move(cuts), goes_on});
  }
  return all;
}

}  // namespace attend
