// What holds for all sentences of a call, checked once.
#pragma once

#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

#include "attend/tasks/translation/ensemble.h"
#include "attend/tasks/translation/running_translations.h"
#include "attend/translator.h"

namespace attend {

// `has_prefixes`: some that are not among the options. Throws ConfigError for options that are
// wrong, contradict each other, or ask for what the models do not have.
std::shared_ptr<const TranslationCall> translation_call(const TranslationEnsemble& ensemble,
                                                        const TranslationOptions& options,
                                                        bool has_prefixes = false);

// The languages of texts, as options, preparation and the model name them; empty: nobody says.
LanguagePair text_languages(const TranslationModel& model, const LanguagePair& languages,
                            const TextPreparation& preparation);

// Judges translations in these languages by these models. Only a model that was calibrated for the
// languages, and is alone, has a confidence.
std::shared_ptr<const TrustJudge> trust_judge(const TranslationEnsemble& ensemble,
                                              const LanguagePair& languages,
                                              const TextPreparation& preparation);

// The call for a sentence: the same, unless it has terms of the glossary or protected spans.
struct SentenceCall {
  std::shared_ptr<const TranslationCall> call;
  std::shared_ptr<const SentenceTerms> terms = nullptr;  // null: none
};

// `protection`: null without spans.
SentenceCall call_of_sentence(const TranslationEnsemble& ensemble,
                              const std::shared_ptr<const TranslationCall>& call,
                              std::string_view sentence, const ProtectedSentence* protection);

// Throws ConfigError, naming the option, for tokens that cannot be written.
void check_target_ids(const std::vector<std::int32_t>& ids, const TranslationModel& model,
                      const char* option);

}  // namespace attend
