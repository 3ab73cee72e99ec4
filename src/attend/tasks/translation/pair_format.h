// How a translation model reads a pair of texts: the special tokens around them, which may depend
// on the languages. Most models have one pair of languages and the end of sentence alone.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "attend/core/options/options.h"
#include "attend/data/context.h"
#include "attend/data/pair_special_tokens.h"
#include "attend/data/terms/inline_terms.h"
#include "attend/translator.h"

namespace attend {

template <class Visitor>
void fields(LanguagePair& o, Visitor&& visit) {
  visit("src-lang", o.source,
        "language of the source text, for a multilingual model: a name from attend info; default: "
        "the model's");
  visit("tgt-lang", o.target,
        "language to translate into, for a multilingual model: a name from attend info; default: "
        "the model's");
}

// The most sentences of context.
inline constexpr int kMostContext = 100;

struct PairFormat {
  // In `marks`: stand for the tokens of the languages of a pair.
  static constexpr std::int32_t kSourceLanguage = -1, kTargetLanguage = -2;

  struct Language {
    std::string name;
    std::int32_t token = 0;
  };

  PairSpecialTokens marks;
  std::vector<Language> languages = {};  // those to choose from; empty: nothing is to be chosen
  LanguagePair defaults = {};            // empty names: there is no default
  SourceContext context = {};            // that the model was trained with
  std::optional<InlineTermMarks> terms = {};  // of a model that was trained with inline terms

  // The marks of a pair in these languages, or the default ones. Throws ConfigError for a language
  // that the model does not have, or has no choice of, and where one is missing.
  PairSpecialTokens of(const LanguagePair& pair) const;
  // The marks of some pair: in the default languages, or the first ones.
  PairSpecialTokens of_any() const;
  // Sets the defaults that are not empty. Throws as of() does.
  void set_defaults(const LanguagePair& pair);
};

// As stored in a model file:
//   {"before_source": ["source"], "behind_source": [2], "before_target": [2, "target"],
//    "languages": {"de": 7, "en": 8}, "defaults": ["en", "de"],
//    "context": {"sentences": 2, "separator": 3, "tokens": 255}, "terms": {"begin": 1, "end": 2}}
std::string pair_format_json(const PairFormat& format);
// The sizes of the vocabularies, in which all tokens must be.
struct PairVocabularies {
  std::int32_t source = 0, target = 0;
};
// Throws DataError.
PairFormat read_pair_format(std::string_view json, const PairVocabularies& vocabularies,
                            const std::string& where);

}  // namespace attend
