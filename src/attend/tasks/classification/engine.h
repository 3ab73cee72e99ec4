// Classification with a trained model: what attend/classifier.h promises, for code that has the
// model itself.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "attend/answers.h"
#include "attend/classifier.h"
#include "attend/core/lines.h"
#include "attend/core/options.h"
#include "attend/data/batch_plan.h"
#include "attend/tasks/classification/model.h"

namespace attend {

template <class Visitor>
void fields(ClassificationOptions& o, Visitor&& visit) {
  visit("batch-tokens", o.batch_tokens, kBatchTokens, "tokens classified together at most");
  visit("window", o.window, between(1, 1e6),
        "most texts to read ahead; texts that have arrived are answered without waiting for more");
}

// Any number of threads may call the const members of one object at the same time; they get the
// answers that they would get alone.
class ClassificationEngine {
 public:
  // Throws IoError or DataError.
  static ClassificationEngine load(const std::filesystem::path& path);
  explicit ClassificationEngine(ClassificationModel model)
      : model_(std::make_shared<const ClassificationModel>(std::move(model))) {}

  const ClassificationModel& model() const { return *model_; }
  const std::vector<std::string>& labels() const { return model_->labels; }

  // In the order of `texts`. What becomes of a text does not depend on the others. Throws LineError
  // for an empty one.
  std::vector<Classification> classify(std::span<const std::string> texts,
                                       const ClassificationOptions& options = {}) const;

  // Line after line until the end of `lines`, in bounded memory. A line that is empty or cannot be
  // classified is a LineError, its message begins with file and line; see AnswerSink for what
  // becomes of it.
  void classify(LineReader& lines, const AnswerSink<Classification>& sink,
                const ClassificationOptions& options = {}) const;

 private:
  std::vector<Classification> classify_ids(std::span<const std::vector<std::int32_t>> texts,
                                           const ClassificationOptions& options) const;

  std::shared_ptr<const ClassificationModel> model_;
};

}  // namespace attend
