// Bootstrap resampling (Koehn 2004): how far a score could be off because the test set happened to
// hold these segments and not others.
//
// A resample draws as many segments as there are, with replacement; its score is that of the sum of
// the drawn segments' counts. Resample k draws from stream k of the seed, so results depend on
// neither threads nor platform.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "attend/core/options.h"
#include "attend/metrics.h"
#include "attend/metrics/segments.h"

namespace attend {

template <class Visitor>
void fields(BootstrapOptions& o, Visitor&& visit) {
  visit("bootstrap-samples", o.samples, between(1, 1e6), "resamples of the bootstrap");
  visit("bootstrap-seed", o.seed, any_seed(), "random seed of the bootstrap");
}

struct PairedBootstrap {
  BootstrapEstimate baseline, system;
  // Both systems scored on the same resamples, d_k the difference of resample k and d the one of
  // all segments: p = (1 + #{k : |d_k| - mean |d| > |d|}) / (1 + samples), the chance of such a
  // difference between systems that are equally good (Riezler & Maxwell 2005), as sacreBLEU and
  // Moses compute it. 1 when d is 0.
  double p_value = 1;
  // The share of resamples in which the system is better than the baseline (Koehn 2004).
  double wins = 0;
};

// Throws ConfigError unless samples >= 1 and there is a segment.
BootstrapEstimate bootstrap(const SegmentCounts& counts, const ScoreFunction& score,
                            const BootstrapOptions& options = {});

// Throws ConfigError besides when the two systems have different numbers of segments.
PairedBootstrap paired_bootstrap(const SegmentCounts& baseline, const SegmentCounts& system,
                                 const ScoreFunction& score, const BootstrapOptions& options = {});

// "|bs:1000|seed:12345", the part of a metric's signature that speaks of the bootstrap; empty
// without one.
std::string bootstrap_signature(const std::optional<BootstrapOptions>& options);

}  // namespace attend
