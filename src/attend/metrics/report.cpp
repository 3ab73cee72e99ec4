#include "attend/metrics/report.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <utility>

#include "attend/error.h"

namespace attend {
namespace {

constexpr double kSignificance = 0.05;

std::optional<BootstrapEstimate> interval(const ReportedMetric& metric, const SegmentCounts& counts,
                                          const EvaluationOptions& options) {
  if (!options.confidence) return std::nullopt;
  return bootstrap(counts, metric.score, options.bootstrap);
}

SystemReport report_of(const ReportedMetric& metric, const SegmentCounts& counts,
                       const std::optional<BootstrapEstimate>& resampled) {
  const auto sum = counts.sum();
  return {metric.score(sum), metric.details(sum), resampled, {}, {}};
}

// Appends the system to the report of the metric, and puts the baseline there.
void add_compared(MetricReport& report, const ReportedMetric& metric, const SegmentCounts& before,
                  const SegmentCounts& after, const EvaluationOptions& options) {
  if (options.significance == SignificanceTest::randomization) {
    if (!report.baseline)
      report.baseline = report_of(metric, before, interval(metric, before, options));
    report.systems.push_back(report_of(metric, after, interval(metric, after, options)));
    report.systems.back().p_value =
        randomization_p_value(before, after, metric.score, options.trials, options.bootstrap.seed);
    return;
  }
  PairedBootstrap paired =
      paired_bootstrap(metric.less_is_better ? after : before,
                       metric.less_is_better ? before : after, metric.score, options.bootstrap);
  if (metric.less_is_better) std::swap(paired.baseline, paired.system);
  if (!report.baseline) report.baseline = report_of(metric, before, paired.baseline);
  report.systems.push_back(report_of(metric, after, paired.system));
  report.systems.back().p_value = paired.p_value;
  report.systems.back().wins = paired.wins;
}

std::string format_system(const SystemReport& system, int digits) {
  std::string out = fmt::format("{:.{}f}", system.score, digits);
  if (const auto& r = system.resampled) {
    out += fmt::format(" (mean {:.{}f}, 95 % in {:.{}f} .. {:.{}f})", r->mean, digits, r->low,
                       digits, r->high, digits);
  }
  return system.details.empty() ? out : out + " " + system.details;
}

std::string format_verdict(const SystemReport& system, double baseline, int digits) {
  std::string out = fmt::format("  difference {:+.{}f}, p = {:.4f}: {} at {}",
                                system.score - baseline, digits, *system.p_value,
                                *system.p_value < kSignificance ? "significant" : "not significant",
                                kSignificance);
  if (system.wins)
    out += fmt::format("; the system is better in {:.1f} % of the resamples", 100 * *system.wins);
  return out + "\n";
}

}  // namespace

std::span<const std::string_view> enum_names(SignificanceTest) {
  static constexpr std::array<std::string_view, 2> kNames{"bootstrap", "randomization"};
  return kNames;
}

Resampling resampling_of(const EvaluationOptions& options, bool compares) {
  const bool by_bootstrap = options.significance == SignificanceTest::bootstrap;
  return {options.confidence || (compares && by_bootstrap) ? options.bootstrap.samples : 0,
          compares && !by_bootstrap ? options.trials : 0, options.bootstrap.seed};
}

std::vector<ReportedMetric> reported_metrics(const References& references,
                                             const EvaluationOptions& options,
                                             const Resampling& resampling,
                                             std::vector<ReportedMetric> more) {
  std::vector<ReportedMetric> metrics;
  if (options.compute_bleu) {
    const BleuOptions& o = options.bleu;
    metrics.push_back(
        {"BLEU", bleu_signature(o, references.size(), resampling),
         [&](std::span<const std::string> lines) { return bleu_counts(lines, references, o); },
         [&](std::span<const std::int64_t> sum) { return bleu_from_counts(sum, o).score; },
         [&](std::span<const std::int64_t> sum) {
           return bleu_details(bleu_from_counts(sum, o));
         }});
  }
  if (options.compute_chrf) {
    ChrfOptions o = options.chrf;
    o.allow_subwords |= options.bleu.allow_subwords;
    metrics.push_back({chrf_name(o), chrf_signature(o, references.size(), resampling),
                       [&references, o](std::span<const std::string> lines) {
                         return chrf_counts(lines, references, o);
                       },
                       [o](std::span<const std::int64_t> sum) { return chrf_from_counts(sum, o); },
                       [](std::span<const std::int64_t>) { return std::string(); }});
  }
  if (options.compute_ter) {
    TerOptions o = options.ter;
    o.allow_subwords |= options.bleu.allow_subwords;
    const std::size_t count = references.size();
    metrics.push_back(
        {"TER", ter_signature(o, count, resampling),
         [&references, o](std::span<const std::string> lines) {
           return ter_counts(lines, references, o);
         },
         [count](std::span<const std::int64_t> sum) { return ter_from_counts(sum, count); },
         [](std::span<const std::int64_t>) { return std::string(); }, /*less_is_better=*/true});
  }
  std::move(more.begin(), more.end(), std::back_inserter(metrics));
  if (metrics.empty()) throw ConfigError("no metric requested: enable bleu, chrf or ter");
  return metrics;
}

EvaluationReport evaluate(std::span<const std::string> hypotheses, const References& references,
                          const EvaluationOptions& options) {
  return evaluate(hypotheses, references, options, {});
}

EvaluationReport evaluate(std::span<const std::string> hypotheses, const References& references,
                          const EvaluationOptions& options, std::vector<ReportedMetric> more) {
  EvaluationReport report{static_cast<std::int64_t>(hypotheses.size()), {}};
  for (const ReportedMetric& metric :
       reported_metrics(references, options, resampling_of(options, false), std::move(more))) {
    const SegmentCounts counts = metric.count(hypotheses);
    report.metrics.push_back({metric.name,
                              metric.signature,
                              {},
                              {report_of(metric, counts, interval(metric, counts, options))},
                              metric.more_digits});
  }
  return report;
}

EvaluationReport compare(std::span<const std::string> baseline, const Systems& systems,
                         const References& references, const EvaluationOptions& options) {
  return compare(baseline, systems, references, options, {});
}

EvaluationReport compare(std::span<const std::string> baseline, const Systems& systems,
                         const References& references, const EvaluationOptions& options,
                         std::vector<ReportedMetric> more) {
  if (systems.empty()) throw ConfigError("nothing to compare with the baseline: got no system");
  EvaluationReport report{static_cast<std::int64_t>(baseline.size()), {}};
  for (const ReportedMetric& metric :
       reported_metrics(references, options, resampling_of(options, true), std::move(more))) {
    MetricReport compared{metric.name, metric.signature, {}, {}, metric.more_digits};
    const SegmentCounts before = metric.count(baseline);
    for (const std::vector<std::string>& system : systems)
      add_compared(compared, metric, before, metric.count(system), options);
    report.metrics.push_back(std::move(compared));
  }
  return report;
}

std::string format_report(const EvaluationReport& report, int usual_digits) {
  std::string out;
  for (const MetricReport& metric : report.metrics) {
    const int digits = usual_digits + metric.more_digits;
    if (!metric.baseline) {
      out += fmt::format("{}|{} = {}\n", metric.name, metric.signature,
                         format_system(metric.systems.at(0), digits));
      continue;
    }
    const bool one = metric.systems.size() == 1;
    out += fmt::format("{}|{}\n  baseline {}{}\n", metric.name, metric.signature, one ? "" : "  ",
                       format_system(*metric.baseline, digits));
    for (std::size_t i = 0; i < metric.systems.size(); ++i) {
      out += fmt::format("  {} {}\n", one ? "system  " : fmt::format("system {:<3}", i + 1),
                         format_system(metric.systems[i], digits));
      out += format_verdict(metric.systems[i], metric.baseline->score, digits);
    }
  }
  return out;
}

}  // namespace attend
