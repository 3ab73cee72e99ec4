// Classification with a trained model: text in, label and probabilities out.
//
//   const auto classifier = attend::Classifier::load("model.safetensors");
//   for (const attend::Classification& c : classifier.classify(texts))
//   use(classifier.labels()[c.label], c.probability());
//
// Text is UTF-8. Any number of threads may call the const members of one object at the same time;
// each gets the answer that it would get alone. Copies share the model.
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
  std::int64_t batch_tokens = 4096;  // tokens that go through the model together
  int window = 1024;  // lines of a stream read ahead; 1: every line is answered at once
};

// The probabilities of all classes, which sum to one, and the most probable one; of equal ones the
// first.
struct Classification {
  std::size_t label = 0;             // an index of Classifier::labels()
  std::vector<float> probabilities;  // of each label
  float probability() const { return probabilities[label]; }
};

class Classifier {
 public:
  // A model file that `attend train classification` or train() (attend/training.h) wrote. Without a
  // runtime: the default one. Throws IoError, or DataError for a file that is damaged or holds
  // something else.
  static Classifier load(const std::filesystem::path& path,
                         std::shared_ptr<Runtime> runtime = nullptr);

  const std::vector<std::string>& labels() const;
  const Tokenizer& tokenizer() const;

  // In the order of `texts`. What becomes of a text does not depend on the others; of a long one
  // the model sees as much as it was trained to see. Throws ConfigError for an option out of range,
  // DataError for a blank text.
  std::vector<Classification> classify(std::span<const std::string> texts,
                                       const ClassificationOptions& options = {}) const;

  // Line after line to the end of the stream, in bounded memory; `sink` says what becomes of the
  // answers, and of lines that have none, such as blank ones. `name` stands for the stream in
  // messages ("name:line: ...").
  void classify(std::istream& lines, const std::string& name,
                const AnswerSink<Classification>& sink,
                const ClassificationOptions& options = {}) const;

 private:
  struct Impl;
  explicit Classifier(std::shared_ptr<const Impl> impl) : impl_(std::move(impl)) {}
  std::shared_ptr<const Impl> impl_;
};

}  // namespace attend
#pragma GCC visibility pop
