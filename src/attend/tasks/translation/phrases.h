// The phrases of TranslationOptions as tokens of a model.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "attend/decode/phrase_rules.h"
#include "attend/tasks/translation/model.h"
#include "attend/translator.h"

namespace attend {

// A phrase that the translation of one sentence contains.
struct SentencePhrase {
  std::vector<std::string> alternatives;
  bool once = false;  // no alternative a second time
};

// Null if nothing is required or forbidden. A phrase is written as it is within a text, after a
// space. Required ones have the tokens that the tokenizer gives them; forbidden ones are forbidden
// in all tokens that spell them. Throws ConfigError for phrases that the model cannot write, that
// contradict each other, and together with options that leave no choice among all tokens.
// `of_sentence`: more of the required ones; what the model cannot write of them is left out.
std::shared_ptr<const PhraseRules> phrase_rules(const TranslationOptions& options,
                                                const TranslationModel& model,
                                                std::span<const SentencePhrase> of_sentence = {});

}  // namespace attend
