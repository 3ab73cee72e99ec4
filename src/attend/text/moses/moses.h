// The tokenizer, detokenizer and punctuation normalizer of the Moses toolkit, which many public
// corpora and models use:
//
//   McDonald's costs $5, doesn't it?    <->    McDonald &apos;s costs $ 5 , doesn &apos;t it ?
//
// The results equal those of sacremoses 0.2 for Latin, Greek and Cyrillic script. In other scripts
// the set of letters follows a newer version of Unicode than its tables.
#pragma once

#include <array>
#include <span>
#include <string>
#include <string_view>

namespace attend {

// Selects abbreviations, and the handling of apostrophes and quotes.
enum class MosesLanguage { en, de, fr };
inline std::span<const std::string_view> enum_names(MosesLanguage) {
  static constexpr std::array<std::string_view, 3> kNames{"en", "de", "fr"};
  return kNames;
}

// Tokens separated by single spaces. Special characters of Moses (& | < > ' " [ ]) are escaped as
// it does: &apos; and so on. Runs of dots, numbers such as 5,300 and abbreviations such as "Mr."
// stay together.
std::string moses_tokenize(std::string_view text, MosesLanguage language);

// The inverse: unescapes and removes the spaces added by tokenization, as far as the tokens allow.
std::string moses_detokenize(std::string_view tokens, MosesLanguage language);

// Normalizes quotes, dashes and spaces to ASCII, and the order of commas and quotes to that of the
// language. Done before tokenization.
std::string moses_normalize(std::string_view text, MosesLanguage language);

}  // namespace attend
