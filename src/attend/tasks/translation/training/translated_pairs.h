// What a translator has written for a text, as pairs to train others with: filtered, and marked
// with a tag where the source is not the work of people (Caswell et al. 2019, "Tagged
// Back-Translation").
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

#include "attend/core/options/options.h"
#include "attend/data/filter/filter.h"
#include "attend/tasks/filtering/model_scorer.h"
#include "attend/tasks/translation/engine.h"
#include "attend/tasks/translation/training/targets.h"

namespace attend {

struct TranslatedPairOptions {
  std::string tag = "<bt>";  // before sources that a translator wrote; empty: none
  LineFilterOptions lines;
  PairFilterOptions pairs{.drop_repeating = true};
  DuplicateFilterOptions duplicates;
  double min_score = ModelFilterOptions{}.min_score;
  double keep_best = FilterOptions{}.keep_best;

  bool scores() const { return min_score > ModelFilterOptions{}.min_score || keep_best < 1; }
};

template <class Visitor>
void fields(TranslatedPairOptions& o, Visitor&& visit) {
  visit("tag", o.tag,
        "word to put before every source that a translator wrote, which becomes one token; empty: "
        "none");
  fields(o.lines, visit);
  fields(o.pairs, visit);
  fields(o.duplicates, visit);
  visit(
      "min-score", o.min_score, between(-1000, 0),
      "lowest log-probability per token of a translation, by the model that wrote the translation");
  visit("keep-best", o.keep_best, kKeptShares,
        "share to keep of the translations that pass all other rules: the best by the "
        "log-probability per token of their translator");
}

// The side of a training pair that the translator wrote: in back-translation the source, which is
// then tagged; in self-training the target.
enum class WrittenSide { source, target };

// Pairs `written` by this translator, as files of `folder`; a call after the end reads what is
// there. Throws ConfigError for options that do not fit together, and where the folder has pairs of
// other translations or options; DataError if no pair is left, IoError for files.
struct TranslatedPairs {
  std::filesystem::path src, tgt;
  std::int64_t translations = 0;  // that were there
  std::int64_t pairs = 0;         // that are left
};
TranslatedPairs write_translated_pairs(const TranslationEngine& translator,
                                       const TargetFiles& written, WrittenSide side,
                                       const TranslatedPairOptions& options,
                                       const LanguagePair& languages,
                                       const std::filesystem::path& folder);

}  // namespace attend
