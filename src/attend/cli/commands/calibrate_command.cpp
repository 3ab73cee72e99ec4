#include <fmt/format.h>

#include <memory>
#include <nlohmann/json.hpp>
#include <utility>

#include "attend/cli/binding/command.h"
#include "attend/cli/binding/model_path.h"
#include "attend/cli/binding/options_binding.h"
#include "attend/cli/binding/thread_options.h"
#include "attend/cli/commands/commands.h"
#include "attend/cli/output.h"
#include "attend/cli/output_format.h"
#include "attend/cli/progress_line.h"
#include "attend/data/corpus.h"
#include "attend/error.h"
#include "attend/tasks/translation/trust/calibrating.h"

namespace attend {
namespace {

struct CalibrateArguments {
  std::string model;
  std::string out;
  std::vector<std::string> src;
  std::vector<std::string> tgt;
  CalibrationOptions calibration;
  OutputFormat format = OutputFormat::text;
  ThreadOptions threads;
};

template <class Visitor>
void fields(CalibrateArguments& a, Visitor&& visit) {
  visit("out", a.out, "model file to write");
  visit("src", a.src,
        "source text that the model was not trained on, such as validation text; may be given "
        "several times");
  visit("tgt", a.tgt, "translation of --src, line by line");
  fields(a.calibration, visit);
  visit("format", a.format, "text for people, json for programs: the model and what was measured");
  fields(a.threads, visit);
}

nlohmann::ordered_json measure_json(const FlagMeasure& measure) {
  nlohmann::ordered_json json{{"right", measure.right},
                              {"wrong", measure.wrong},
                              {"flags", nlohmann::ordered_json::array()}};
  for (const FlagCounts& flag : measure.flags)
    json["flags"].push_back({{"name", flag.name},
                             {"right", flag.right},
                             {"wrong", flag.wrong},
                             {"precision", FlagMeasure::precision(flag)},
                             {"recall", measure.recall(flag)}});
  return json;
}

std::string report_json(const std::string& model, const CalibrationReport& report) {
  nlohmann::ordered_json json{{"model", model},
                              {"learned_from", report.learned_from},
                              {"measured_on", report.measured_on},
                              {"correlation", report.correlation},
                              {"calibration_error", report.error},
                              {"parts", nlohmann::ordered_json::array()}};
  for (const ReliabilityPart& part : report.parts)
    json["parts"].push_back(
        {{"confidence", part.confidence}, {"chrf", part.chrf}, {"pairs", part.pairs}});
  json["translations"] = measure_json(report.translations);
  json["references"] = measure_json(report.references);
  return json_text(json);
}

void print_flags(const char* what, const FlagMeasure& measure) {
  answer("\n{} with their sources ({}) and with wrong ones ({}):\n", what, measure.right,
         measure.wrong);
  answer("{:<12}{:>8}{:>8}{:>11}{:>9}\n", "flag", "right", "wrong", "precision", "recall");
  for (const FlagCounts& flag : measure.flags)
    answer("{:<12}{:>8}{:>8}{:>11.3f}{:>9.3f}\n", flag.name, flag.right, flag.wrong,
           FlagMeasure::precision(flag), measure.recall(flag));
}

void print_report(const std::string& model, const CalibrationReport& report) {
  answer("learned from {} pairs, measured on {} others\n\n", report.learned_from,
         report.measured_on);
  answer("{:>10}{:>8}{:>8}\n", "confidence", "chrF", "pairs");
  for (const ReliabilityPart& part : report.parts)
    answer("{:>10.3f}{:>8.3f}{:>8}\n", part.confidence, part.chrf, part.pairs);
  answer("correlation {:.3f}, calibration error {:.3f}\n", report.correlation, report.error);
  print_flags("translations of the model", report.translations);
  print_flags("references", report.references);
  answer("\n{}: the model with its calibration\n", shown_path(model));
}

void run_calibrate(const CalibrateArguments& a) {
  if (a.out.empty()) throw ConfigError("--out: expected the model file to write, got none");
  if (a.src.empty() || a.tgt.empty())
    throw ConfigError("--src and --tgt: expected the text to learn from, got none");
  const RuntimeScope runtime = enter_runtime(a.threads);
  const std::string path = model_path(a.model);
  ProgressLine progress = ProgressLine::timing("translating and scoring the text");
  const Checkpoint checkpoint = load_checkpoint(path);
  const TranslationEngine engine(translation_model(checkpoint));
  const ParallelText text = read_parallel(a.src, a.tgt);
  CalibrationReport report;
  const TrustCalibration calibration =
      calibrate_trust(engine, text.src, text.tgt, a.calibration, report);
  save_checkpoint(a.out, with_trust(checkpoint, calibration));
  progress.end();
  if (a.format == OutputFormat::json) return answer("{}\n", report_json(a.out, report));
  print_report(a.out, report);
}

}  // namespace

void add_calibrate_command(CLI::App& app) {
  CLI::App& command =
      add_command(app, "calibrate",
                  "Teach a translator how far to trust its translations, for translate --trust");
  const auto arguments = std::make_shared<CalibrateArguments>();
  add_argument(command, arguments->model, {"model", "MODEL", kModelHelp});
  OptionBinding(command).add(*arguments);
  on_command(command, [arguments] { run_calibrate(*arguments); });
}

}  // namespace attend
