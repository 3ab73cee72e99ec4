// BLEU (Papineni et al. 2002), the number sacreBLEU prints (Post 2018), with its signature so that a score says how it was computed.
//
//   score = 100 * BP * exp(mean of log p_n, n = 1 .. max_order),   BP = exp(min(0, 1 - reference_length / hypothesis_length))
//
// p_n is the share of the hypotheses' n-grams found in the references, each counted at most as often as in the reference that has most of
// it. The reference length of a segment is that of the reference closest in length, the shorter of two equally close ones.
//
// With tokenization kNone and lowercase this is the "tokenised lower-cased BLEU" (multi-bleu) of papers.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "attend/core/options.h"
#include "attend/metrics/bootstrap.h"
#include "attend/metrics/ngrams.h"
#include "attend/metrics/segments.h"
#include "attend/metrics/tokenize.h"

namespace attend {

// What stands in for a precision without a match (Chen & Cherry 2014).
enum class BleuSmoothing {
  kExp,    // 1 / (2^k * total) for the k-th such order
  kFloor,  // value / total
  kAddK,   // value is added to the matches and the total of all orders above 1
  kNone,
};

std::span<const std::string_view> enum_names(BleuSmoothing);

struct BleuOptions {
  BleuTokenization tokenization = BleuTokenization::k13a;
  bool lowercase = false;
  BleuSmoothing smoothing = BleuSmoothing::kExp;
  double smoothing_value = -1;
  int max_order = 4;
  bool effective_order = false;
  bool allow_subwords = false;  // see check_segments
};

template <class Visitor>
void fields(BleuOptions& o, Visitor&& visit) {
  visit("tokenize", o.tokenization, "tokenization of BLEU: 13a, none (the text is tokenized already), intl or char");
  visit("lowercase", o.lowercase, "lower-case both texts for BLEU");
  visit("smooth-method", o.smoothing, "smoothing of BLEU's n-gram orders without a match: exp, floor, add-k or none");
  visit("smooth-value", o.smoothing_value, between(-1, 1000),
        "value of BLEU's floor and add-k smoothing; negative: 0.1 for floor, 1 for add-k");
  visit("max-ngram-order", o.max_order, kNgramOrders, "longest n-gram of BLEU");
  visit("effective-order", o.effective_order, "leave out n-gram orders that the hypotheses are too short for");
  visit("allow-subwords", o.allow_subwords, "score text that still contains subword markers, @@ or U+2581");
}

struct BleuScore {
  double score = 0;                // 0 .. 100
  std::vector<double> precisions;  // 0 .. 100, [max_order]
  double brevity_penalty = 0;      // 0 .. 1
  std::int64_t hypothesis_length = 0, reference_length = 0;
  std::vector<std::int64_t> counts, totals;  // clipped matches and n-grams of the hypotheses, [max_order]

  double ratio() const;  // hypothesis_length / reference_length, 0 without a reference
};

// Counts of every segment: {hypothesis length, reference length, counts[max_order], totals[max_order]}. Throws as check_segments does.
SegmentCounts bleu_counts(std::span<const std::string> hypotheses, const References& references, const BleuOptions& options = {});
BleuScore bleu_from_counts(std::span<const std::int64_t> sum, const BleuOptions& options = {});

// The score of all hypotheses together. Throws as check_segments does.
BleuScore corpus_bleu(std::span<const std::string> hypotheses, const References& references, const BleuOptions& options = {});

// The score of one segment, always with the effective order.
BleuScore sentence_bleu(const std::string& hypothesis, std::span<const std::string> references, BleuOptions options = {});

// "nrefs:1|case:mixed|eff:no|tok:13a|smooth:exp|version:attend-0.1.0"
std::string bleu_signature(const BleuOptions& options, std::size_t n_references, const std::optional<BootstrapOptions>& bootstrap = {});

// The line of sacreBLEU, with `digits` decimals of the score:
// "BLEU|nrefs:1|...|version:attend-0.1.0 = 41.02 73.1/48.0/33.9/24.0 (BP = 1.000 ratio = 1.023 hyp_len = 1024 ref_len = 1001)"
std::string format_bleu(const BleuScore& score, const std::string& signature, int digits = 2);
// What follows the score in that line.
std::string bleu_details(const BleuScore& score);

}  // namespace attend
