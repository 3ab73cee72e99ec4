#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "attend/cli/commands/evaluate/evaluation.h"
#include "attend/cli/output.h"
#include "attend/cli/progress_line.h"
#include "attend/cli/standard_input.h"
#include "attend/core/files/lines.h"
#include "attend/error.h"

namespace attend {
namespace {

nlohmann::ordered_json system_json(const SystemReport& system) {
  nlohmann::ordered_json json{{"score", system.score}};
  if (!system.details.empty()) json["details"] = system.details;
  if (const auto& r = system.resampled)
    json["bootstrap"] = {{"mean", r->mean}, {"low", r->low}, {"high", r->high}};
  return json;
}

std::string format_json(const EvaluationReport& report) {
  nlohmann::ordered_json json{{"segments", report.segments},
                              {"metrics", nlohmann::ordered_json::array()}};
  for (const MetricReport& metric : report.metrics) {
    nlohmann::ordered_json entry{{"name", metric.name}, {"signature", metric.signature}};
    entry.update(system_json(metric.system));
    if (metric.baseline) entry["baseline"] = system_json(*metric.baseline);
    if (metric.p_value) entry["p_value"] = *metric.p_value;
    if (metric.wins) entry["wins"] = *metric.wins;
    json["metrics"].push_back(entry);
  }
  return json_text(json, 1) + "\n";
}

}  // namespace

void evaluate_translations(const TranslationEvaluation& options, const EvaluationOutput& output) {
  if (options.hypotheses.empty())
    throw ConfigError("--hypotheses: expected the file to evaluate, got none");
  if (options.references.empty())
    throw ConfigError("--references: expected at least one file to compare with, got none");
  const std::vector<std::string> hypotheses = read_lines(options.hypotheses);
  References references;
  for (const std::string& path : options.references) references.push_back(read_lines(path));
  ProgressLine progress = ProgressLine::timing("comparing with the references");
  const EvaluationReport report =
      options.baseline.empty()
          ? evaluate(hypotheses, references, options.metrics)
          : compare(read_lines(options.baseline), hypotheses, references, options.metrics);
  progress.end();
  answer("{}", output.format == OutputFormat::json ? format_json(report)
                                                   : format_report(report, output.digits));
}

}  // namespace attend
