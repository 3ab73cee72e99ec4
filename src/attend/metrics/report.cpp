#include "attend/metrics/report.h"

#include <fmt/format.h>

#include <utility>

#include "attend/error.h"

namespace attend {
namespace {

constexpr double kSignificance = 0.05;

// A metric as reports need it.
struct Metric {
  std::string name, signature;
  std::function<SegmentCounts(std::span<const std::string>)> count;
  ScoreFunction score;
  std::function<std::string(std::span<const std::int64_t>)> details;
  bool less_is_better = false;
};

std::vector<Metric> metrics_of(const References& references, const EvaluationOptions& options,
                               bool resample) {
  const auto bootstrap = resample ? std::optional(options.bootstrap) : std::nullopt;
  std::vector<Metric> metrics;
  if (options.compute_bleu) {
    const BleuOptions& o = options.bleu;
    metrics.push_back(
        {"BLEU", bleu_signature(o, references.size(), bootstrap),
         [&](std::span<const std::string> lines) { return bleu_counts(lines, references, o); },
         [&](std::span<const std::int64_t> sum) { return bleu_from_counts(sum, o).score; },
         [&](std::span<const std::int64_t> sum) {
           return bleu_details(bleu_from_counts(sum, o));
         }});
  }
  if (options.compute_chrf) {
    ChrfOptions o = options.chrf;
    o.allow_subwords |= options.bleu.allow_subwords;
    metrics.push_back({chrf_name(o), chrf_signature(o, references.size(), bootstrap),
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
        {"TER", ter_signature(o, count, bootstrap),
         [&references, o](std::span<const std::string> lines) {
           return ter_counts(lines, references, o);
         },
         [count](std::span<const std::int64_t> sum) { return ter_from_counts(sum, count); },
         [](std::span<const std::int64_t>) { return std::string(); }, /*less_is_better=*/true});
  }
  if (metrics.empty()) throw ConfigError("no metric requested: enable bleu, chrf or ter");
  return metrics;
}

SystemReport report_of(const Metric& metric, const SegmentCounts& counts,
                       const std::optional<BootstrapEstimate>& resampled) {
  const auto sum = counts.sum();
  return {metric.score(sum), metric.details(sum), resampled};
}

std::string format_system(const SystemReport& system, int digits) {
  std::string out = fmt::format("{:.{}f}", system.score, digits);
  if (const auto& r = system.resampled) {
    out += fmt::format(" (mean {:.{}f}, 95 % in {:.{}f} .. {:.{}f})", r->mean, digits, r->low,
                       digits, r->high, digits);
  }
  return system.details.empty() ? out : out + " " + system.details;
}

}  // namespace

EvaluationReport evaluate(std::span<const std::string> hypotheses, const References& references,
                          const EvaluationOptions& options) {
  EvaluationReport report{static_cast<std::int64_t>(hypotheses.size()), {}};
  for (const Metric& metric : metrics_of(references, options, options.confidence)) {
    const SegmentCounts counts = metric.count(hypotheses);
    std::optional<BootstrapEstimate> resampled;
    if (options.confidence) resampled = bootstrap(counts, metric.score, options.bootstrap);
    report.metrics.push_back(
        {metric.name, metric.signature, report_of(metric, counts, resampled), {}, {}, {}});
  }
  return report;
}

EvaluationReport compare(std::span<const std::string> baseline, std::span<const std::string> system,
                         const References& references, const EvaluationOptions& options) {
  EvaluationReport report{static_cast<std::int64_t>(system.size()), {}};
  for (const Metric& metric : metrics_of(references, options, true)) {
    const SegmentCounts before = metric.count(baseline), after = metric.count(system);
    PairedBootstrap paired =
        paired_bootstrap(metric.less_is_better ? after : before,
                         metric.less_is_better ? before : after, metric.score, options.bootstrap);
    if (metric.less_is_better) std::swap(paired.baseline, paired.system);
    report.metrics.push_back(
        {metric.name, metric.signature, report_of(metric, after, paired.system),
         report_of(metric, before, paired.baseline), paired.p_value, paired.wins});
  }
  return report;
}

std::string format_report(const EvaluationReport& report, int digits) {
  std::string out;
  for (const MetricReport& metric : report.metrics) {
    if (!metric.baseline) {
      out += fmt::format("{}|{} = {}\n", metric.name, metric.signature,
                         format_system(metric.system, digits));
      continue;
    }
    const double difference = metric.system.score - metric.baseline->score;
    const bool significant = *metric.p_value < kSignificance;
    out +=
        fmt::format("{}|{}\n  baseline {}\n  system   {}\n", metric.name, metric.signature,
                    format_system(*metric.baseline, digits), format_system(metric.system, digits));
    out += fmt::format(
        "  difference {:+.{}f}, p = {:.4f}: {} at {}; the system is better in {:.1f} % of the "
        "resamples\n",
        difference, digits, *metric.p_value, significant ? "significant" : "not significant",
        kSignificance, 100 * *metric.wins);
  }
  return out;
}

}  // namespace attend
