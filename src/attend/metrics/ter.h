// The translation edit rate (Snover et al. 2006), equal to sacreBLEU and to Tercom, which it
// follows: the edits that make a hypothesis its reference, divided by the words of the reference.
//
//   score = 100 * edits / mean length of the references
//
// An edit inserts, deletes or replaces a word, or moves words from one place to another. The fewest
// are searched for greedily: of all moves of words that the reference has elsewhere, the one that
// leaves the fewest edits, until none helps. With several references, the one with the fewest edits
// counts.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "attend/core/options/options.h"
#include "attend/metrics/segments.h"
#include "attend/translation_metrics.h"

namespace attend {

template <class Visitor>
void fields(TerOptions& o, Visitor&& visit) {
  visit("ter-normalized", o.normalized, "part words from punctuation for TER, as Tercom does");
  visit("ter-no-punct", o.no_punct, "leave punctuation out for TER");
  visit("ter-asian-support", o.asian_support,
        "with the two options above, also treat Chinese, Japanese and Korean characters");
  visit("ter-case-sensitive", o.case_sensitive, "do not lower-case both texts for TER");
}

// Counts of every segment: {edits, words of all references}. Throws as check_segments does.
SegmentCounts ter_counts(std::span<const std::string> hypotheses, const References& references,
                         const TerOptions& options = {});
double ter_from_counts(std::span<const std::int64_t> sum, std::size_t n_references);

}  // namespace attend
