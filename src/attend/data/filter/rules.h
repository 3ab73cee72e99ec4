// The rules that judge a line or a pair alone: they know neither the lines before it nor a model.
#pragma once

#include <optional>
#include <vector>

#include "attend/data/filter/options.h"
#include "attend/data/filter/text_pair.h"
#include "attend/text/language/language_check.h"
#include "attend/text/text_measures.h"

namespace attend {

// Immutable; may be used from several threads at once.
class PairRules {
 public:
  // `in_pairs`: else only the rules for the source apply. Throws ConfigError for a language that is
  // not known, and for a ratio that no pair has.
  PairRules(const FilterOptions& options, bool in_pairs);

  // The rules that are on, in the order in which they are applied.
  std::vector<FilterRule> rules() const;
  // The first one that a pair breaks.
  std::optional<FilterRule> broken_by(const TextPair& pair) const;

 private:
  std::optional<FilterRule> broken_lengths(const TextMeasures& line) const;
  std::optional<FilterRule> broken_shares(const TextMeasures& line) const;
  std::optional<FilterRule> broken_ratios(const TextMeasures& src, const TextMeasures& tgt) const;
  std::optional<FilterRule> broken_languages(const TextPair& pair) const;

  LineFilterOptions lines_;
  PairFilterOptions pairs_;
  bool in_pairs_;
  std::optional<LanguageCheck> src_language_, tgt_language_;
};

}  // namespace attend
