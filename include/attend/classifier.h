// Classification with a trained model: text in, label and probabilities out.
//
//   const auto classifier = attend::Classifier::load("model.safetensors");
//   for (const attend::Classification& c : classifier.classify(texts))
//     use(classifier.labels()[c.label], c.probability());
//
// A text can be a pair, "premise TAB hypothesis". The answer is one label, several labels or a
// number (ProblemType).
//
// Text is UTF-8. Const members may be called from any number of threads at once; each call gets
// the answer it would get alone. Copies share the model.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <istream>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "attend/answers.h"
#include "attend/explanation.h"
#include "attend/runtime.h"
#include "attend/text_preparation.h"
#include "attend/tokenizer.h"

#pragma GCC visibility push(default)
namespace attend {

// What a model predicts for a text: exactly one label, any number of labels, or a number.
enum class ProblemType { single_label, multi_label, regression };

// What becomes of the outputs of a model. standard: probabilities of labels, and numbers as the
// model gives them, for a cross-encoder their sigmoid; none: the outputs themselves.
enum class OutputFunction { standard, sigmoid, softmax, none };

struct ClassificationOptions {
  std::int64_t batch_tokens = 1024;  // tokens per batch
  int window = 1024;       // lines of a stream to read ahead; 1: answer every line at once
  float threshold = 0.5f;  // for multi_label: labels with at least this probability are returned
  // Every text is a pair, separated by a tab. Models trained on pairs always read pairs.
  bool pairs = false;
  OutputFunction function_to_apply = OutputFunction::standard;
  // Imported models read the string of a special token in a text, such as "[SEP]", as this token;
  // true: as letters, as other models always do.
  bool split_special_tokens = false;
  TextPreparation preparation = {};
};

struct Classification {
  // Index of the most probable label (the first of equals) in Classifier::labels()
  std::size_t label = 0;
  // One per label; they sum to 1 for single_label. Empty for regression. With another function than
  // the standard one, what it makes of the outputs.
  std::vector<float> probabilities;
  // The predicted labels: the most probable one, or for multi_label all at or above the threshold,
  // in the order of Classifier::labels().
  std::vector<std::size_t> labels = {};
  float value = 0;  // the prediction of a regression model, or of a cross-encoder
  float probability() const { return probabilities[label]; }
};

class Classifier {
 public:
  // Loads a model file written by `attend train classification` or train() (attend/training.h).
  // Without a runtime it uses the default one. Throws IoError, or DataError for a damaged file or
  // another kind of model.
  static Classifier load(const std::filesystem::path& path,
                         std::shared_ptr<Runtime> runtime = nullptr);

  ProblemType problem_type() const;
  // The names of the labels; for regression, one name for the number.
  const std::vector<std::string>& labels() const;
  // Whether the model was trained on pairs of texts.
  bool takes_pairs() const;
  // Whether it is an imported model with one output and no type of problem: a regression whose
  // standard answer is the sigmoid of the output, or what sentence-transformers has set.
  bool is_cross_encoder() const;
  const Tokenizer& tokenizer() const;

  // Returns one result per text, in order. Results do not depend on the other texts. Long texts are
  // truncated as in training. Throws ConfigError for an option out of range, DataError for a blank
  // text and for a pair without exactly one tab.
  std::vector<Classification> classify(std::span<const std::string> texts,
                                       const ClassificationOptions& options = {}) const;

  // Classifies line by line to the end of the stream, in bounded memory. `sink` receives the
  // answers and the lines that cannot be answered, such as blank ones. `name` names the stream in
  // messages ("name:line: ...").
  void classify(std::istream& lines, const std::string& name,
                const AnswerSink<Classification>& sink,
                const ClassificationOptions& options = {}) const;

  // Explains why the model prefers the most probable class to another one. Each part is summed over
  // the tokens of the text, weighted by their share in the pooled vector (for max pooling: over the
  // elements that are the maximum). If a layer with an activation follows the pooled vector, the
  // ratio of its output to its input is treated as a constant. The result has no lens and no
  // position. Throws ConfigError for a regression model, an option out of range or an unknown
  // class; DataError as classify() does.
  OutputExplanation explain(const std::string& text, const ExplanationOptions& options = {}) const;

 private:
  friend class BaseModel;
  friend class Engine;
  struct Impl;
  explicit Classifier(std::shared_ptr<const Impl> impl) : impl_(std::move(impl)) {}
  std::shared_ptr<const Impl> impl_;
};

}  // namespace attend
#pragma GCC visibility pop
