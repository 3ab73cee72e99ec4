// Prepares raw text for the kind of text that a model was trained on.
#pragma once

#include <array>
#include <span>
#include <string>
#include <string_view>

#include "attend/core/options/options.h"
#include "attend/text/moses/moses.h"

namespace attend {

enum class WordSplitting { none, moses };
inline std::span<const std::string_view> enum_names(WordSplitting) {
  static constexpr std::array<std::string_view, 2> kNames{"none", "moses"};
  return kNames;
}

struct PreparationOptions {
  bool lowercase = false;
  bool normalize_punctuation = false;
  WordSplitting tokenize = WordSplitting::none;
};

template <class Visitor>
void fields(PreparationOptions& o, Visitor&& visit) {
  visit("lowercase", o.lowercase, "lower-case the text, for a model of lower-cased text");
  visit("normalize-punctuation", o.normalize_punctuation,
        "replace typographic quotes, dashes and spaces as the Moses tools do");
  visit("tokenize", o.tokenize,
        "split words from punctuation, for a model of tokenized text: moses (English, German or "
        "French), or none");
}

// Throws ConfigError, naming `option`, for a language without Moses rules here; an empty language
// was not given.
MosesLanguage moses_language(const std::string& language, std::string_view option);

// Applies the options in order. `language` matters only for the last two steps.
std::string prepared(std::string_view text, const PreparationOptions& options,
                     MosesLanguage language);

}  // namespace attend
