// Implements attend/tagger.h, for code that holds the model itself.
#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "attend/answers.h"
#include "attend/core/files/lines.h"
#include "attend/core/options/options.h"
#include "attend/tagger.h"
#include "attend/tasks/tagging/model.h"
#include "attend/tasks/tagging/token_tags.h"
#include "attend/text/preparation.h"

namespace attend {

inline std::span<const std::string_view> enum_names(TagAggregation) {
  static constexpr std::array<std::string_view, 7> kNames{"standard", "words",   "none", "simple",
                                                          "first",    "average", "max"};
  return kNames;
}

// Visits the options that `attend classify` has for taggers alone.
template <class Visitor>
void tagging_fields(TaggingOptions& o, Visitor&& visit) {
  visit(
      "aggregation-strategy", o.aggregation_strategy,
      "how taggers make words and entities: words, none, simple, first, average or max; standard: "
      "simple for imported models, otherwise words");
  visit("ignore-labels", o.ignore_labels,
        "labels of entities to leave out, for taggers; default: O");
  visit(
      "stride", o.stride, between(0, 1e6),
      "tokens shared by the parts of a longer text, for imported taggers; 0: texts are truncated");
}

template <class Visitor>
void fields(TaggingOptions& o, Visitor&& visit) {
  visit("batch-tokens", o.batch_tokens, kBatchTokens, "maximum tokens tagged together");
  visit("window", o.window, between(1, 1e6),
        "most texts to read ahead; texts that have arrived are answered without waiting for more");
  tagging_fields(o, visit);
  visit("split-special-tokens", o.split_special_tokens, kSplitSpecialTokensHelp);
  fields(o.preparation, visit);
}

// What is tagged of a text: words, or for an imported model the text itself.
struct TaggingInput {
  std::string text;
  std::vector<std::string> words = {};
  std::vector<TokenSpan> spans = {};  // of the words in the text
};

// Const members may be called from any number of threads at once; each call gets the answer it
// would get alone.
class TaggingEngine {
 public:
  // Throws IoError or DataError.
  static TaggingEngine load(const std::filesystem::path& path);
  explicit TaggingEngine(TaggingModel model)
      : model_(std::make_shared<const TaggingModel>(std::move(model))),
        tokenizer_type_(type_of(model_->tokenizer)) {}

  const TaggingModel& model() const { return *model_; }
  const std::vector<std::string>& labels() const { return model_->labels; }

  // Returns one result per text, in order, independent of the other texts. Throws LineError for an
  // empty one.
  std::vector<Tagging> tag(std::span<const std::string> texts,
                           const TaggingOptions& options = {}) const;
  // What tag() reads of a text. Throws LineError, whose message begins with `where`, for an empty
  // one; ConfigError for options that the model does not have.
  TaggingInput input(const std::string& text, const TaggingOptions& options,
                     const std::string& where) const;
  // The tokens that the model reads of it, special ones included.
  std::int64_t count_tokens(const TaggingInput& input, const TaggingOptions& options) const;
  std::vector<Tagging> tag_inputs(std::span<const TaggingInput> inputs,
                                  const TaggingOptions& options) const;
  // The same as tag() for texts in words, none of which is empty: their text has spaces between.
  std::vector<Tagging> tag_words(std::span<const std::vector<std::string>> texts,
                                 const TaggingOptions& options = {}) const;
  // Tags line by line to the end of `lines`, in bounded memory. A line that is empty is a
  // LineError, whose message begins with file and line; AnswerSink decides what happens to it.
  void tag(LineReader& lines, const AnswerSink<Tagging>& sink,
           const TaggingOptions& options = {}) const;

 private:
  // Throws ConfigError.
  void check(const TaggingOptions& options) const;
  // Whether the tags of all tokens are wanted, not those of words.
  bool is_by_tokens(const TaggingOptions& options) const;
  // What the model reads of an input, in parts; whose rows are tagged.
  struct Parts {
    std::vector<TaggedPart> parts;
    TextTokens tokens = {};  // of all parts, if it is by tokens
  };
  Parts parts_of(const TaggingInput& input, const TaggingOptions& options) const;
  // `scores`: log-probabilities of the rows of all parts, one row after the other.
  Tagging tagging_of(const TaggingInput& input, const Parts& parts, std::span<const float> scores,
                     const TaggingOptions& options) const;
  Tagging tags_of_words(const TaggingInput& input, std::span<const float> scores,
                        const TaggingOptions& options) const;

  std::shared_ptr<const TaggingModel> model_;
  TokenizerType tokenizer_type_;
};

}  // namespace attend
