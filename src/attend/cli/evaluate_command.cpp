#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <array>
#include <iostream>
#include <memory>
#include <nlohmann/json.hpp>

#include "attend/cli/commands.h"
#include "attend/cli/options_binding.h"
#include "attend/core/error.h"
#include "attend/core/lines.h"
#include "attend/metrics/report.h"

namespace attend {
namespace {

enum class OutputFormat { text, json };
std::span<const std::string_view> enum_names(OutputFormat) {
  static constexpr std::array<std::string_view, 2> kNames{"text", "json"};
  return kNames;
}

struct EvaluateOptions {
  std::string hypotheses;
  std::vector<std::string> references;
  std::string baseline;
  OutputFormat format = OutputFormat::text;
  int digits = 2;
  EvaluationOptions evaluation;
};

template <class Visitor>
void fields(EvaluateOptions& o, Visitor&& visit) {
  visit("hypotheses", o.hypotheses, "file with a translation on each line; - for standard input");
  visit("references", o.references, "files with the lines that a human translator would have written");
  visit("baseline", o.baseline, "file with the translations of another system, to compare with by paired bootstrap");
  visit("format", o.format, "text for people, json for programs");
  visit("digits", o.digits, "decimals of the scores in text");
  fields(o.evaluation, visit);
}

std::vector<std::string> read_translations(const std::string& path) {
  if (path != "-") return read_lines(path);
  LineReader reader(std::cin, "standard input");
  std::vector<std::string> lines;
  for (std::string line; reader.next(line);) lines.push_back(line);
  return lines;
}

nlohmann::ordered_json system_json(const SystemReport& system) {
  nlohmann::ordered_json json{{"score", system.score}};
  if (!system.details.empty()) json["details"] = system.details;
  if (const auto& r = system.resampled) json["bootstrap"] = {{"mean", r->mean}, {"low", r->low}, {"high", r->high}};
  return json;
}

std::string format_json(const EvaluationReport& report) {
  nlohmann::ordered_json json{{"segments", report.segments}, {"metrics", nlohmann::ordered_json::array()}};
  for (const MetricReport& metric : report.metrics) {
    nlohmann::ordered_json entry{{"name", metric.name}, {"signature", metric.signature}};
    entry.update(system_json(metric.system));
    if (metric.baseline) entry["baseline"] = system_json(*metric.baseline);
    if (metric.p_value) entry["p_value"] = *metric.p_value;
    if (metric.wins) entry["wins"] = *metric.wins;
    json["metrics"].push_back(entry);
  }
  return json.dump(1) + "\n";
}

void run_evaluate(const EvaluateOptions& options) {
  if (options.hypotheses.empty()) throw ConfigError("--hypotheses: expected the file to evaluate, got none");
  if (options.references.empty()) throw ConfigError("--references: expected at least one file to compare with, got none");
  if (options.digits < 0 || options.digits > 12) throw ConfigError(fmt::format("--digits: expected 0 .. 12, got {}", options.digits));
  const std::vector<std::string> hypotheses = read_translations(options.hypotheses);
  References references;
  for (const std::string& path : options.references) references.push_back(read_lines(path));
  const EvaluationReport report = options.baseline.empty()
                                      ? evaluate(hypotheses, references, options.evaluation)
                                      : compare(read_lines(options.baseline), hypotheses, references, options.evaluation);
  fmt::print("{}", options.format == OutputFormat::json ? format_json(report) : format_report(report, options.digits));
}

}  // namespace

void add_evaluate_command(CLI::App& app) {
  CLI::App* command = app.add_subcommand("evaluate", "BLEU and chrF of translations, as sacreBLEU computes them");
  const auto options = std::make_shared<EvaluateOptions>();
  OptionBinding(*command).add(*options);
  command->callback([options] { run_evaluate(*options); });
}

}  // namespace attend
