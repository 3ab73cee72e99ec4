// Jobs that say how likely given texts are.
#pragma once

#include "attend/engine.h"
#include "attend/tasks/language/engine.h"
#include "attend/tasks/serving/job.h"
#include "attend/tasks/translation/engine.h"

namespace attend {

// A job for each pair. Throws like TranslationEngine::score().
Jobs jobs_of(const TranslationEngine& engine, PairScoringRequest request,
             Receiver<SequenceScore> receiver, const std::shared_ptr<const RequestState>& state);

// A job for each text. Throws like score_lines().
Jobs jobs_of(const GenerationEngine& engine, TextScoringRequest request,
             Receiver<SequenceScore> receiver, const std::shared_ptr<const RequestState>& state);

// A job for each list of tokens. Throws like Generator::score_tokens().
Jobs jobs_of(const GenerationEngine& engine, TokenScoringRequest request,
             Receiver<std::vector<GeneratedToken>> receiver,
             const std::shared_ptr<const RequestState>& state);

}  // namespace attend
