// The tokenizer, detokenizer and punctuation normalizer of the Moses toolkit, which many public
// corpora and models have gone through:
//
//   McDonald's costs $5, doesn't it?    <->    McDonald &apos;s costs $ 5 , doesn &apos;t it ?
//
// They give what sacremoses gives (its version 0.2) for text in Latin, Greek and Cyrillic script.
// In other scripts, which characters are letters follows a newer Unicode than its tables.
#pragma once

#include <array>
#include <span>
#include <string>
#include <string_view>

namespace attend {

// Which abbreviations end with a period, and what happens at apostrophes and quotes.
enum class MosesLanguage { en, de, fr };
inline std::span<const std::string_view> enum_names(MosesLanguage) {
  static constexpr std::array<std::string_view, 3> kNames{"en", "de", "fr"};
  return kNames;
}

// Tokens separated by single spaces. What is special to Moses (& | < > ' " [ ]) is escaped as it
// does: &apos; and so on. Runs of dots stay together, and so do numbers such as 5,300 and
// abbreviations such as "Mr."
std::string moses_tokenize(std::string_view text, MosesLanguage language);

// The way back: unescapes, and removes the spaces that tokenize() added, as far as can be told from
// the tokens.
std::string moses_detokenize(std::string_view tokens, MosesLanguage language);

// Quotes, dashes and spaces of all kinds as ASCII has them, and commas and quotes in the order of
// the language. Done before tokenizing where a corpus was normalized.
std::string moses_normalize(std::string_view text, MosesLanguage language);

}  // namespace attend
