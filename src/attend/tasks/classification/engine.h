// Implements attend/classifier.h, for code that holds the model itself.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "attend/answers.h"
#include "attend/classifier.h"
#include "attend/core/files/lines.h"
#include "attend/core/options/options.h"
#include "attend/data/batching/batch_plan.h"
#include "attend/tasks/classification/model.h"
#include "attend/tasks/text_preparer.h"
#include "attend/text/preparation.h"

namespace attend {

inline std::span<const std::string_view> enum_names(OutputFunction) {
  static constexpr std::array<std::string_view, 4> kNames{"standard", "sigmoid", "softmax", "none"};
  return kNames;
}

template <class Visitor>
void fields(ClassificationOptions& o, Visitor&& visit) {
  visit("batch-tokens", o.batch_tokens, kBatchTokens, "maximum tokens classified together");
  visit("window", o.window, between(1, 1e6),
        "most texts to read ahead; texts that have arrived are answered without waiting for more");
  visit("threshold", o.threshold, between(0, 1),
        "smallest probability of the labels to predict, for multi-label models");
  visit("pairs", o.pairs,
        "each line is two texts separated by a tab; always on for a model trained on pairs");
  visit("function-to-apply", o.function_to_apply,
        "what becomes of the outputs of the model: standard (probabilities, or the number; of a "
        "cross-encoder its sigmoid), sigmoid, softmax, or none");
  visit("split-special-tokens", o.split_special_tokens, kSplitSpecialTokensHelp);
  fields(o.preparation, visit);
}

// Const members may be called from any number of threads at once; each call gets the answer it
// would get alone.
class ClassificationEngine {
 public:
  // Throws IoError or DataError.
  static ClassificationEngine load(const std::filesystem::path& path);
  explicit ClassificationEngine(ClassificationModel model)
      : model_(std::make_shared<const ClassificationModel>(std::move(model))) {}

  const ClassificationModel& model() const { return *model_; }
  const std::vector<std::string>& labels() const { return model_->labels; }

  // Returns one result per text, in order, independent of the other texts. Throws LineError for an
  // empty one.
  std::vector<Classification> classify(std::span<const std::string> texts,
                                       const ClassificationOptions& options = {}) const;

  // The tokens of a text. Throws LineError, whose message begins with `where`, for an empty one and
  // for one that is no pair where one is expected.
  PairInput input(const std::string& text, const std::string& where) const;
  // The same as classify() for the tokens of texts.
  std::vector<Classification> classify_inputs(std::span<const PairInput> texts,
                                              const ClassificationOptions& options = {}) const;

  // The same engine, whose texts are pairs or prepared, and whose special tokens are text, if
  // `options` say so. Throws ConfigError.
  ClassificationEngine reading(const ClassificationOptions& options) const;

  // Classifies line by line to the end of `lines`, in bounded memory. A line that is empty or
  // cannot be classified is a LineError, whose message begins with file and line; AnswerSink
  // decides what happens to it.
  void classify(LineReader& lines, const AnswerSink<Classification>& sink,
                const ClassificationOptions& options = {}) const;

 private:
  std::shared_ptr<const ClassificationModel> model_;
  TextPreparer prepare_;
};

}  // namespace attend
