// The named options of a report on translations; evaluate() and compare() are in
// attend/translation_metrics.h.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "attend/metrics.h"
#include "attend/metrics/bleu.h"
#include "attend/metrics/bootstrap.h"
#include "attend/metrics/chrf.h"
#include "attend/metrics/segments.h"
#include "attend/metrics/ter.h"

namespace attend {

std::span<const std::string_view> enum_names(SignificanceTest);

template <class Visitor>
void fields(EvaluationOptions& o, Visitor&& visit) {
  fields(o.bleu, visit);
  fields(o.chrf, visit);
  fields(o.ter, visit);
  visit("bleu", o.compute_bleu, "compute BLEU");
  visit("chrf", o.compute_chrf, "compute chrF");
  visit("ter", o.compute_ter, "compute the translation edit rate (TER), of which less is better");
  visit("confidence", o.confidence, "print a 95 % bootstrap interval around each score");
  fields(o.bootstrap, visit);
  visit("significance", o.significance,
        "test of the differences from a baseline: paired bootstrap, or approximate randomization, "
        "which exchanges random lines");
  visit("trials", o.trials, between(1, 1e6), "trials of approximate randomization");
}

// A metric as reports need it. Refers to references and options, which must outlive it.
struct ReportedMetric {
  std::string name, signature;
  std::function<SegmentCounts(std::span<const std::string>)> count;
  ScoreFunction score;
  std::function<std::string(std::span<const std::int64_t>)> details;
  bool less_is_better = false;
  int more_digits = 0;  // as of MetricReport
};

// What the signatures of a report say of its resampling. `compares`: with a baseline.
Resampling resampling_of(const EvaluationOptions& options, bool compares);

// Returns those that are requested, then `more`. Throws ConfigError if there are none.
std::vector<ReportedMetric> reported_metrics(const References& references,
                                             const EvaluationOptions& options,
                                             const Resampling& resampling = {},
                                             std::vector<ReportedMetric> more = {});

// The functions of attend/translation_metrics.h, with more metrics.
EvaluationReport evaluate(std::span<const std::string> hypotheses, const References& references,
                          const EvaluationOptions& options, std::vector<ReportedMetric> more);
EvaluationReport compare(std::span<const std::string> baseline, const Systems& systems,
                         const References& references, const EvaluationOptions& options,
                         std::vector<ReportedMetric> more);

}  // namespace attend
