// BLEU (Papineni et al. 2002), equal to sacreBLEU (Post 2018), with its signature.
//
//   score = 100 * BP * exp(mean of log p_n, n = 1 .. max_order)
//   BP = exp(min(0, 1 - reference_length / hypothesis_length))
//
// p_n is the share of hypothesis n-grams found in the references, each counted at most as often as
// in the reference that contains it most. The reference length of a segment is that of the
// reference closest in length, the shorter of two equally close ones.
//
// With tokenization none and lowercase this is the "tokenized lower-cased BLEU" (multi-bleu) of
// papers.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "attend/core/options/options.h"
#include "attend/metrics.h"
#include "attend/metrics/bootstrap.h"
#include "attend/metrics/ngrams.h"
#include "attend/metrics/segments.h"
#include "attend/metrics/tokenize.h"

namespace attend {

std::span<const std::string_view> enum_names(BleuSmoothing);

template <class Visitor>
void fields(BleuOptions& o, Visitor&& visit) {
  visit("tokenize", o.tokenization,
        "tokenization of BLEU: 13a, none (the text is tokenized already), intl or char");
  visit("lowercase", o.lowercase, "lower-case both texts for BLEU");
  visit("smooth-method", o.smoothing,
        "smoothing of BLEU's n-gram orders without a match: exp, floor, add-k or none");
  visit("smooth-value", o.smoothing_value, between(-1, 1000),
        "value of BLEU's floor and add-k smoothing; negative: 0.1 for floor, 1 for add-k");
  visit("max-ngram-order", o.max_order, kNgramOrders, "longest n-gram of BLEU");
  visit("effective-order", o.effective_order,
        "leave out n-gram orders that the hypotheses are too short for");
  visit("allow-subwords", o.allow_subwords,
        "score text that still contains subword markers, @@ or U+2581");
}

// Counts of every segment: {hypothesis length, reference length, counts[max_order],
// totals[max_order]}. Throws as check_segments does.
SegmentCounts bleu_counts(std::span<const std::string> hypotheses, const References& references,
                          const BleuOptions& options = {});
BleuScore bleu_from_counts(std::span<const std::int64_t> sum, const BleuOptions& options = {});

// The part of that line after the score.
std::string bleu_details(const BleuScore& score);

}  // namespace attend
