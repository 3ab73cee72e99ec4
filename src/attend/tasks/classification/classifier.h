// Classification with a trained model: text in, label and probabilities out.
//
//   const attend::Classifier classifier = attend::Classifier::load("model.safetensors");
//   for (const attend::Classification& c : classifier.classify(texts)) use(classifier.labels()[c.label], c.probability());
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "attend/core/lines.h"
#include "attend/core/options.h"
#include "attend/data/batch_plan.h"
#include "attend/tasks/answer_sink.h"
#include "attend/tasks/classification/model.h"

namespace attend {

struct ClassificationOptions {
  std::int64_t batch_tokens = 4096;
  int window = 1024;
};

template <class Visitor>
void fields(ClassificationOptions& o, Visitor&& visit) {
  visit("batch-tokens", o.batch_tokens, kBatchTokens, "tokens classified together at most");
  visit("window", o.window, between(1, 1e6), "most texts to read ahead; texts that have arrived are answered without waiting for more");
}

// The probabilities of all classes, which sum to one, and the most probable one; of equal ones the first.
struct Classification {
  std::size_t label = 0;
  std::vector<float> probabilities;
  float probability() const { return probabilities[label]; }
};

// Any number of threads may call the const members of one object at the same time; they get the answers that they would get alone.
class Classifier {
 public:
  // Throws IoError or DataError.
  static Classifier load(const std::filesystem::path& path);
  explicit Classifier(ClassificationModel model) : model_(std::make_shared<const ClassificationModel>(std::move(model))) {}

  const ClassificationModel& model() const { return *model_; }
  const std::vector<std::string>& labels() const { return model_->labels; }

  // In the order of `texts`. What becomes of a text does not depend on the others. Throws LineError for an empty one.
  std::vector<Classification> classify(std::span<const std::string> texts, const ClassificationOptions& options = {}) const;

  // Line after line until the end of `lines`, in bounded memory. A line that is empty or cannot be classified is a LineError, its message
  // begins with file and line; see AnswerSink for what becomes of it.
  void classify(LineReader& lines, const AnswerSink<Classification>& sink, const ClassificationOptions& options = {}) const;

 private:
  std::vector<Classification> classify_ids(std::span<const std::vector<std::int32_t>> texts, const ClassificationOptions& options) const;

  std::shared_ptr<const ClassificationModel> model_;
};

}  // namespace attend
