// Prepares raw text for the kind of text that a model was trained on.
#pragma once

#include <array>
#include <span>
#include <string>
#include <string_view>

#include "attend/core/options/options.h"
#include "attend/text/moses/moses.h"
#include "attend/text_preparation.h"

namespace attend {

inline std::span<const std::string_view> enum_names(WordSplitting) {
  static constexpr std::array<std::string_view, 2> kNames{"none", "moses"};
  return kNames;
}

// Visits the options of what a model reads.
template <class Visitor>
void fields(TextPreparation& o, Visitor&& visit) {
  visit("lowercase", o.lowercase, "lower-case the text, for a model of lower-cased text");
  visit("normalize-punctuation", o.normalize_punctuation,
        "replace typographic quotes, dashes and spaces as the Moses tools do");
  visit("tokenize", o.tokenize,
        "split words from punctuation, for a model of tokenized text: moses (English, German or "
        "French), or none");
  visit("language", o.language,
        "language of the text, for --tokenize and --normalize-punctuation: en, de or fr; default: "
        "the model's");
}

// Visits those of what translators write.
template <class Visitor>
void target_fields(TextPreparation& o, Visitor&& visit) {
  visit("detokenize", o.detokenize,
        "with --tokenize moses: join the words and punctuation of the translations again");
  visit("tgt-language", o.tgt_language,
        "language of the translations, for --detokenize, --prefix and phrases: en, de or fr; "
        "default: the model's");
}

// Throws ConfigError, naming `option`, for a language without Moses rules here; an empty language
// was not given.
MosesLanguage moses_language(const std::string& language, std::string_view option);

// Applies the options in order. `language` matters only for the last two steps.
std::string prepared(std::string_view text, const TextPreparation& options, MosesLanguage language);

}  // namespace attend
