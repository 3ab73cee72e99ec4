// Implements attend/tagger.h, for code that holds the model itself.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "attend/answers.h"
#include "attend/core/lines.h"
#include "attend/core/options.h"
#include "attend/tagger.h"
#include "attend/tasks/tagging/model.h"

namespace attend {

template <class Visitor>
void fields(TaggingOptions& o, Visitor&& visit) {
  visit("batch-tokens", o.batch_tokens, kBatchTokens, "maximum tokens tagged together");
  visit("window", o.window, between(1, 1e6),
        "most texts to read ahead; texts that have arrived are answered without waiting for more");
}

// Const members may be called from any number of threads at once; each call gets the answer it
// would get alone.
class TaggingEngine {
 public:
  // Throws IoError or DataError.
  static TaggingEngine load(const std::filesystem::path& path);
  explicit TaggingEngine(TaggingModel model)
      : model_(std::make_shared<const TaggingModel>(std::move(model))) {}

  const TaggingModel& model() const { return *model_; }
  const std::vector<std::string>& labels() const { return model_->labels; }

  // Returns one result per text, in order, independent of the other texts. Throws LineError for an
  // empty one.
  std::vector<Tagging> tag(std::span<const std::string> texts,
                           const TaggingOptions& options = {}) const;
  // The words of a text. Throws LineError, whose message begins with `where`, for an empty one.
  std::vector<std::string> words(const std::string& text, const std::string& where) const;
  // What the model reads of a text in words, special tokens included.
  std::int64_t count_tokens(std::span<const std::string> words) const;
  // The same as tag() for texts in words, none of which is empty.
  std::vector<Tagging> tag_words(std::span<const std::vector<std::string>> texts,
                                 const TaggingOptions& options = {}) const;
  // Tags line by line to the end of `lines`, in bounded memory. A line that is empty is a
  // LineError, whose message begins with file and line; AnswerSink decides what happens to it.
  void tag(LineReader& lines, const AnswerSink<Tagging>& sink,
           const TaggingOptions& options = {}) const;

 private:
  std::shared_ptr<const TaggingModel> model_;
};

}  // namespace attend
