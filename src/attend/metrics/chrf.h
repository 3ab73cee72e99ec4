// chrF (Popovic 2015), the F-score of character n-grams, and chrF++ (Popovic 2017), which adds word
// n-grams; equal to sacreBLEU.
//
//   score = 100 * (1 + beta^2) P R / (beta^2 P + R)
//
// P and R are the means of matches / hypothesis n-grams and of matches / reference n-grams over the
// orders for which both sides have n-grams. Characters are Unicode code points without white space.
// With several references, a segment counts the one with the best score.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "attend/core/options/options.h"
#include "attend/metrics.h"
#include "attend/metrics/bootstrap.h"
#include "attend/metrics/ngrams.h"
#include "attend/metrics/segments.h"

namespace attend {

template <class Visitor>
void fields(ChrfOptions& o, Visitor&& visit) {
  visit("chrf-char-order", o.char_order, kNgramOrders, "longest character n-gram of chrF");
  visit("chrf-word-order", o.word_order, between(0, kNgramOrders.most),
        "longest word n-gram of chrF; 2 for chrF++");
  visit("chrf-beta", o.beta, between(0, 1000), "weight of recall relative to precision in chrF");
  visit("chrf-lowercase", o.lowercase, "lower-case both texts for chrF");
}

// Counts of every segment: for each character order, then each word order, {n-grams of the
// hypothesis, of the reference, matches}. Throws like check_segments; ConfigError for orders or a
// beta below their minimum (1, 0, 0).
SegmentCounts chrf_counts(std::span<const std::string> hypotheses, const References& references,
                          const ChrfOptions& options = {});
double chrf_from_counts(std::span<const std::int64_t> sum, const ChrfOptions& options = {});

}  // namespace attend
