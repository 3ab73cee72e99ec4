// Classification with a trained model: text in, label and probabilities out.
//
//   const auto classifier = attend::Classifier::load("model.safetensors");
//   for (const attend::Classification& c : classifier.classify(texts))
//     use(classifier.labels()[c.label], c.probability());
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
#include "attend/runtime.h"
#include "attend/tokenizer.h"

#pragma GCC visibility push(default)
namespace attend {

struct ClassificationOptions {
  std::int64_t batch_tokens = 1024;  // tokens per batch
  int window = 1024;  // lines of a stream to read ahead; 1: answer every line at once
};

// The probabilities of all classes, which sum to 1, and the most probable class (the first of equal
// ones).
struct Classification {
  std::size_t label = 0;             // index into Classifier::labels()
  std::vector<float> probabilities;  // one per label
  float probability() const { return probabilities[label]; }
};

class Classifier {
 public:
  // Loads a model file written by `attend train classification` or train() (attend/training.h).
  // Without a runtime it uses the default one. Throws IoError, or DataError for a damaged file or
  // another kind of model.
  static Classifier load(const std::filesystem::path& path,
                         std::shared_ptr<Runtime> runtime = nullptr);

  const std::vector<std::string>& labels() const;
  const Tokenizer& tokenizer() const;

  // Returns one result per text, in order. Results do not depend on the other texts. Long texts are
  // truncated as in training. Throws ConfigError for an option out of range, DataError for a blank
  // text.
  std::vector<Classification> classify(std::span<const std::string> texts,
                                       const ClassificationOptions& options = {}) const;

  // Classifies line by line to the end of the stream, in bounded memory. `sink` receives the
  // answers and the lines that cannot be answered, such as blank ones. `name` names the stream in
  // messages ("name:line: ...").
  void classify(std::istream& lines, const std::string& name,
                const AnswerSink<Classification>& sink,
                const ClassificationOptions& options = {}) const;

 private:
  friend class Engine;
  struct Impl;
  explicit Classifier(std::shared_ptr<const Impl> impl) : impl_(std::move(impl)) {}
  std::shared_ptr<const Impl> impl_;
};

}  // namespace attend
#pragma GCC visibility pop
