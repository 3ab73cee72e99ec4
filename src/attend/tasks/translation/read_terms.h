// The terms that a model with inline terms reads within a sentence.
#pragma once

#include <string>
#include <vector>

#include "attend/tasks/translation/ensemble.h"
#include "attend/tasks/translation/running_translations.h"

namespace attend {

// Puts those of its call's glossary into a sentence whose ids are those of `text`, without marks.
// Does nothing for a model that was trained without, and leaves out what there is no room for.
void read_terms(const TranslationEnsemble& ensemble, const std::string& text,
                SourceSentence& sentence);

// The tokens of a sentence with its ids, without marks, context and inline terms.
std::vector<std::string> sentence_tokens(const TranslationModel& model,
                                         const SourceSentence& sentence);

}  // namespace attend
