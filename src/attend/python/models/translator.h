// The translators of the module, and what their files share.
#pragma once

#include <nanobind/nanobind.h>

#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include "attend/api/named_options.h"
#include "attend/python/models/model_views.h"
#include "attend/tasks/translation/engine.h"

namespace attend {

using TranslatorView = ModelView<TranslationEngine>;

// The options of scoring pairs.
struct PairKeywords {
  LanguagePair languages;
  TextPreparation preparation;
  bool trust = false;
};

template <class Visitor>
void fields(PairKeywords& k, Visitor&& visit) {
  fields(k.languages, visit);
  fields(k.preparation, visit);
  visit("tgt-language", k.preparation.tgt_language, "language of the targets");
  visit("trust", k.trust,
        "also tell how far to trust a translation: a confidence, from 0 to 1, for a model with "
        "attend calibrate, and flags for what looks wrong");
}

// Returns the options of the model with the keywords of `attend translate` in their place. Throws
// ConfigError for a wrong one. Needs the GIL.
TranslationOptions translation_options(const TranslatorView& translator,
                                       const nanobind::dict& keywords);
// Throws ConfigError for other keywords. Needs the GIL.
LanguagePair languages_of(const nanobind::dict& keywords);

// What translations begin with, as texts or as target tokens: one for each sentence, one for all,
// or none.
using Beginnings = std::variant<std::vector<std::string>, std::vector<std::vector<std::int32_t>>>;
void set_beginnings(TranslationOptions& options, const Beginnings& beginnings);

// The ids of tokens, with the marks that the model needs around them. Marks that are there already,
// as other programs' tokenizers add them, are not added again.
std::vector<std::int32_t> marked_ids(const std::vector<std::string>& tokens,
                                     const TranslationModel& model, const PairSpecialTokens& marks);

// Attention, explanations and alternatives of a translation.
void add_translator_inspection(nanobind::class_<TranslatorView>& translator);

}  // namespace attend
