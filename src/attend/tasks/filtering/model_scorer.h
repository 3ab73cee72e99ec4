// Filters text by what a model says of it: how likely a translation or a line is, and how many
// words of a source its translation has no word for.
#pragma once

#include <memory>

#include "attend/core/options/options.h"
#include "attend/data/filter/filter.h"
#include "attend/metrics.h"
#include "attend/tasks/model_file/saved_model.h"
#include "attend/translator.h"

namespace attend {

struct ModelFilterOptions {
  double min_score = -1000;  // natural logarithm, of a token on average, the end included
  double max_unaligned = 1;
  ScoringOptions scoring;
};

template <class Visitor>
void fields(ModelFilterOptions& o, Visitor&& visit) {
  visit("min-score", o.min_score, between(-1000, 0),
        "lowest log-probability per token that the model of --score-with may give a target, or a "
        "line of --text");
  visit("max-unaligned", o.max_unaligned, between(0, 1),
        "largest share of source words that no target word attends to most, in the model of "
        "--score-with");
  visit("max-tokens", o.scoring.max_tokens, between(1, 1e6),
        "longest text that the model of --score-with reads, in tokens; longer ones are dropped");
}

// Scores pairs with a translation model, and lines with a language model. `languages`: of the
// pairs, for a model with several. Throws ConfigError for a language that the model does not have
// and for max_unaligned without pairs; DataError for a model of another task than the text needs.
std::unique_ptr<PairScorer> make_scorer(std::shared_ptr<const SavedModel> model, bool in_pairs,
                                        const ModelFilterOptions& options,
                                        const LanguagePair& languages = {});

}  // namespace attend
