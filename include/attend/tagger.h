// Tagging words with a trained model, for example to find the entities of a text.
//
//   const auto tagger = attend::Tagger::load("model.safetensors");
//   for (const attend::Tagging& t : tagger.tag(texts))
//     for (const attend::Entity& e : t.entities(tagger.labels()))
//       use(e.type, t.words[e.begin]);
//
// Text is UTF-8; its words end at white space. Const members may be called from any number of
// threads at once; each call gets the answer it would get alone. Copies share the model.
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
#include "attend/metrics.h"
#include "attend/runtime.h"
#include "attend/tokenizer.h"

#pragma GCC visibility push(default)
namespace attend {

struct TaggingOptions {
  std::int64_t batch_tokens = 1024;  // tokens per batch
  int window = 1024;  // lines of a stream to read ahead; 1: answer every line at once
};

// A text with the most probable tag of each word (the first of equal ones).
struct Tagging {
  std::vector<std::string> words;
  std::vector<std::size_t> tags;     // indices into Tagger::labels()
  std::vector<float> probabilities;  // of `tags`

  // The entities of IOB tags (entities_of()).
  std::vector<Entity> entities(const std::vector<std::string>& labels) const;
};

class Tagger {
 public:
  // Loads a model file written by `attend train tagging`, `attend import` or train()
  // (attend/training.h). Without a runtime it uses the default one. Throws IoError, or DataError
  // for a damaged file or another kind of model.
  static Tagger load(const std::filesystem::path& path, std::shared_ptr<Runtime> runtime = nullptr);

  // The names of all tags.
  const std::vector<std::string>& labels() const;
  const Tokenizer& tokenizer() const;

  // Returns one result per text, in order. Results do not depend on the other texts. Throws
  // ConfigError for an option out of range, DataError for a blank text.
  std::vector<Tagging> tag(std::span<const std::string> texts,
                           const TaggingOptions& options = {}) const;

  // Tags line by line to the end of the stream, in bounded memory. `sink` receives the answers and
  // the lines that cannot be answered, such as blank ones. `name` names the stream in messages
  // ("name:line: ...").
  void tag(std::istream& lines, const std::string& name, const AnswerSink<Tagging>& sink,
           const TaggingOptions& options = {}) const;

 private:
  friend class BaseModel;
  friend class Engine;
  struct Impl;
  explicit Tagger(std::shared_ptr<const Impl> impl) : impl_(std::move(impl)) {}
  std::shared_ptr<const Impl> impl_;
};

}  // namespace attend
#pragma GCC visibility pop
