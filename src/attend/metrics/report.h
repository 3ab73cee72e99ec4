// BLEU and chrF of one translation, or of two side by side, as one struct to print or to turn into JSON.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "attend/metrics/bleu.h"
#include "attend/metrics/bootstrap.h"
#include "attend/metrics/chrf.h"
#include "attend/metrics/segments.h"

namespace attend {

struct EvaluationOptions {
  BleuOptions bleu;  // its allow_subwords holds for chrF too
  ChrfOptions chrf;
  bool compute_bleu = true;
  bool compute_chrf = true;
  bool confidence = false;  // of two systems there always is one
  BootstrapOptions bootstrap;
};

template <class Visitor>
void fields(EvaluationOptions& o, Visitor&& visit) {
  fields(o.bleu, visit);
  fields(o.chrf, visit);
  visit("bleu", o.compute_bleu, "compute BLEU");
  visit("chrf", o.compute_chrf, "compute chrF");
  visit("confidence", o.confidence, "print a 95 % bootstrap interval around each score");
  fields(o.bootstrap, visit);
}

struct SystemReport {
  double score = 0;
  std::string details;                         // BLEU's precisions and lengths
  std::optional<BootstrapEstimate> resampled;  // when resampling was asked for
};

struct MetricReport {
  std::string name;  // "BLEU", "chrF2"
  std::string signature;
  SystemReport system;
  // Of a comparison only: the system compared with, and how likely such a difference is between equally good systems.
  std::optional<SystemReport> baseline;
  std::optional<double> p_value, wins;
};

struct EvaluationReport {
  std::int64_t segments = 0;
  std::vector<MetricReport> metrics;
};

// Throws as corpus_bleu does, ConfigError when no metric is asked for.
EvaluationReport evaluate(std::span<const std::string> hypotheses, const References& references, const EvaluationOptions& options = {});

// Paired bootstrap between a baseline and a system on the same lines.
EvaluationReport compare(std::span<const std::string> baseline, std::span<const std::string> system, const References& references,
                         const EvaluationOptions& options = {});

// One line per metric, as sacreBLEU prints it, with `digits` decimals:
//   "BLEU|nrefs:1|... = 41.02 73.1/48.0/33.9/24.0 (BP = ...)"
// and for comparisons a line per system and one with the verdict.
std::string format_report(const EvaluationReport& report, int digits = 2);

}  // namespace attend
