// Resampling: how much a score, or the difference of two, depends on the choice of test segments.
//
// Bootstrap (Koehn 2004): a resample draws as many segments as there are, with replacement; its
// score is that of the summed counts. Resample k draws from stream k of the seed, so results depend
// neither on threads nor on the platform.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "attend/core/options/options.h"
#include "attend/metrics.h"
#include "attend/metrics/segments.h"

namespace attend {

template <class Visitor>
void fields(BootstrapOptions& o, Visitor&& visit) {
  visit("bootstrap-samples", o.samples, between(1, 1e6), "resamples of the bootstrap");
  visit("seed", o.seed, any_seed(), "random seed of the bootstrap");
}

struct PairedBootstrap {
  BootstrapEstimate baseline, system;
  // With both systems scored on the same resamples, d_k the difference in resample k and d that of
  // all segments: p = (1 + #{k : |d_k| - mean |d| > |d|}) / (1 + samples), the probability of such
  // a difference between equally good systems (Riezler & Maxwell 2005), as in sacreBLEU and Moses.
  // 1 if d is 0.
  double p_value = 1;
  // The share of resamples in which the system is better than the baseline (Koehn 2004).
  double wins = 0;
};

// Throws ConfigError unless samples >= 1 and there is a segment.
BootstrapEstimate bootstrap(const SegmentCounts& counts, const ScoreFunction& score,
                            const BootstrapOptions& options = {});

// Also throws ConfigError if the systems have different numbers of segments.
PairedBootstrap paired_bootstrap(const SegmentCounts& baseline, const SegmentCounts& system,
                                 const ScoreFunction& score, const BootstrapOptions& options = {});

// Approximate randomization: in each of `trials` trials, the systems exchange their translations of
// every segment or not, with equal chances. With d_k the difference of the two mixtures in trial k
// and d that of the systems: p = (1 + #{k : |d_k| > |d|}) / (1 + trials), as in sacreBLEU and
// MultEval. 1 if d is 0. Throws as paired_bootstrap does, and ConfigError without trials.
double randomization_p_value(const SegmentCounts& baseline, const SegmentCounts& system,
                             const ScoreFunction& score, int trials, std::uint64_t seed);

// "|bs:1000|ar:10000|seed:12345", the part of a metric's signature; empty without resampling.
std::string resampling_signature(const Resampling& resampling);

}  // namespace attend
