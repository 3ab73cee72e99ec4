#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <utility>

#include "attend/cli/binding/options_binding.h"
#include "attend/cli/commands/evaluate/evaluation.h"
#include "attend/cli/output.h"
#include "attend/cli/progress_line.h"
#include "attend/cli/standard_input.h"
#include "attend/core/files/lines.h"
#include "attend/core/options/option_fields.h"
#include "attend/error.h"

namespace attend {
namespace {

nlohmann::ordered_json system_json(const SystemReport& system) {
  nlohmann::ordered_json json{{"score", system.score}};
  if (!system.details.empty()) json["details"] = system.details;
  if (const auto& r = system.resampled)
    json["bootstrap"] = {{"mean", r->mean}, {"low", r->low}, {"high", r->high}};
  if (system.p_value) json["p_value"] = *system.p_value;
  if (system.wins) json["wins"] = *system.wins;
  return json;
}

// One system stands in the entry of its metric, several in a list of their own.
nlohmann::ordered_json report_json(const EvaluationReport& report) {
  nlohmann::ordered_json json{{"segments", report.segments},
                              {"metrics", nlohmann::ordered_json::array()}};
  for (const MetricReport& metric : report.metrics) {
    nlohmann::ordered_json entry{{"name", metric.name}, {"signature", metric.signature}};
    if (metric.systems.size() == 1) entry.update(system_json(metric.systems.front()));
    if (metric.baseline) entry["baseline"] = system_json(*metric.baseline);
    if (metric.systems.size() > 1)
      for (const SystemReport& system : metric.systems)
        entry["systems"].push_back(system_json(system));
    json["metrics"].push_back(entry);
  }
  return json;
}

TranslatedLines read_translations(const TranslationEvaluation& options) {
  TranslatedLines lines;
  lines.names = options.hypotheses;
  if (!options.baseline.empty()) lines.names.insert(lines.names.begin(), options.baseline);
  for (const std::string& path : lines.names) lines.systems.push_back(read_lines(path));
  for (const std::string& path : options.references) lines.references.push_back(read_lines(path));
  if (!options.sources.empty()) lines.sources = read_lines(options.sources);
  const std::size_t expected = lines.systems.front().size();
  if (!lines.sources.empty() && lines.sources.size() != expected)
    throw DataError(fmt::format("{}: expected a source for each of {} translations, got {}",
                                options.sources, expected, lines.sources.size()));
  return lines;
}

EvaluationReport report_of(const TranslatedLines& lines, const TranslationEvaluation& options) {
  const std::vector<std::string>& first = lines.systems.front();
  std::vector<ReportedMetric> more = comet_metrics(options, lines);
  if (options.baseline.empty())
    return evaluate(first, lines.references, options.metrics, std::move(more));
  return compare(first, {lines.systems.begin() + 1, lines.systems.end()}, lines.references,
                 options.metrics, std::move(more));
}

// Without references, only metrics that need none are left.
void leave_out_references(TranslationEvaluation& options, const OptionBinding& binding) {
  if (options.comet.empty())
    throw ConfigError("--references: expected at least one file to compare with, got none");
  EvaluationOptions usual;
  for (const OptionField& field : option_fields(usual))
    if (field.name != "confidence" && field.name != "significance" && field.name != "trials" &&
        field.name != "bootstrap-samples" && field.name != "seed")
      binding.refuse_without("--references", {field.name});
  binding.refuse_without("--references", {"breakdown", "worst"});
  options.metrics.compute_bleu = options.metrics.compute_chrf = options.metrics.compute_ter = false;
}

}  // namespace

void evaluate_translations(TranslationEvaluation options, const EvaluationOutput& output,
                           const OptionBinding& binding) {
  if (options.hypotheses.empty())
    throw ConfigError("--hypotheses: expected the file to evaluate, got none");
  if (options.references.empty()) leave_out_references(options, binding);
  if (options.hypotheses.size() > 1 && options.baseline.empty())
    throw ConfigError("--baseline: expected a file to compare several others with, got none");
  const TranslatedLines lines = read_translations(options);
  ProgressLine progress = ProgressLine::timing("comparing with the references");
  const EvaluationReport report = report_of(lines, options);
  const TranslationFaults faults = find_faults(options, lines);
  progress.end();
  if (output.format == OutputFormat::text)
    return answer("{}{}", format_report(report, output.digits),
                  faults_text(faults, lines, output.digits));
  nlohmann::ordered_json json = report_json(report);
  add_faults(faults, lines, json);
  answer("{}\n", json_text(json, 1));
}

}  // namespace attend
