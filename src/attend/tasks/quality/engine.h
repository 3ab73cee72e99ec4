// Scores translations by a model of their quality.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "attend/metrics/report.h"
#include "attend/quality.h"
#include "attend/tasks/quality/model.h"

namespace attend {

// Const members may be called from any number of threads at once; the score of a translation does
// not depend on the others.
class QualityEngine {
 public:
  // Throws IoError or DataError.
  static QualityEngine load(const std::filesystem::path& path);
  explicit QualityEngine(QualityModel model)
      : model_(std::make_shared<const QualityModel>(std::move(model))) {}

  const QualityModel& model() const { return *model_; }

  // A score for each translation, in order: higher is better. Throws ConfigError for missing
  // sources or references, or another number of them, and DataError, naming the line, for text that
  // is not UTF-8.
  std::vector<float> score(std::span<const std::string> translations,
                           const QualityContext& context) const;
  // The same for lines of files, without the white space around them, as comet-score reads them.
  std::vector<float> score_lines(std::span<const std::string> translations,
                                 const QualityContext& context) const;
  // The scores of N translations of a source with each of them as the reference, of a model that
  // encodes each text alone: [N, N], a row for each reference. Every text is encoded once.
  std::vector<double> pair_scores(const std::string& source,
                                  std::span<const std::string> translations) const;

 private:
  std::shared_ptr<const QualityModel> model_;
};

// The mean of score_lines() of systems as a metric of reports. `name`: of the model, for the
// signature. Copies the texts of `context`.
ReportedMetric quality_metric(QualityEngine engine, const std::string& name,
                              const QualityContext& context, const Resampling& resampling);

}  // namespace attend
