#include <fmt/format.h>

#include <filesystem>
#include <utility>

#include "attend/cli/binding/model_path.h"
#include "attend/cli/commands/evaluate/evaluation.h"
#include "attend/core/strings/quote.h"
#include "attend/error.h"
#include "attend/tasks/quality/engine.h"

namespace attend {

std::vector<ReportedMetric> comet_metrics(const TranslationEvaluation& options,
                                          const TranslatedLines& lines) {
  std::vector<ReportedMetric> metrics;
  for (const std::string& path : options.comet) {
    QualityEngine engine = QualityEngine::load(model_path(path));
    const QualityModel& model = engine.model();
    if (model.reads_source() && lines.sources.empty())
      throw ConfigError(fmt::format(
          "--sources: expected the sources of the translations, which {} reads", printable(path)));
    const bool has_references = !lines.references.empty();
    if (model.needs_reference() && !has_references)
      throw ConfigError(fmt::format("--references: expected a file of references, which {} reads",
                                    printable(path)));
    if (model.reads_reference() && lines.references.size() > 1)
      throw ConfigError(fmt::format("--references: {} reads one reference of a translation, got {}",
                                    printable(path), lines.references.size()));
    QualityContext context{lines.sources, {}};
    if (model.reads_reference() && has_references) context.references = lines.references.front();
    const std::string name = std::filesystem::path(path).lexically_normal().filename().string();
    metrics.push_back(quality_metric(std::move(engine), printable(name), context,
                                     resampling_of(options.metrics, !options.baseline.empty())));
  }
  return metrics;
}

}  // namespace attend
