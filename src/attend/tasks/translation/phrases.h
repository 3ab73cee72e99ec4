// The phrases of TranslationOptions as tokens of a model.
#pragma once

#include <memory>
#include <span>
#include <string>

#include "attend/decode/phrase_rules.h"
#include "attend/tasks/translation/model.h"
#include "attend/translator.h"

namespace attend {

// Null if nothing is required or forbidden. A phrase is written as it is within a text, after a
// space. Required ones have the tokens that the tokenizer gives them; forbidden ones are forbidden
// in all tokens that spell them. Throws ConfigError for phrases that the model cannot write, that
// contradict each other, and together with options that leave no choice among all tokens.
// `once`: more of the required ones, which a translation has only once.
std::shared_ptr<const PhraseRules> phrase_rules(const TranslationOptions& options,
                                                const TranslationModel& model,
                                                std::span<const std::string> once = {});

}  // namespace attend
