// Tagging words with a trained model, for example to find the entities of a text.
//
//   const auto tagger = attend::Tagger::load("model.safetensors");
//   for (const attend::Tagging& t : tagger.tag(texts))
//     for (const attend::Entity& e : t.entities(tagger.labels()))
//       use(e.type, t.words[e.begin]);
//
// Text is UTF-8. What its words are, is a matter of the model and of TagAggregation. Const members
// may be called from any number of threads at once; each call gets the answer it would get alone.
// Copies share the model.
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
#include "attend/text_preparation.h"
#include "attend/tokenizer.h"

#pragma GCC visibility push(default)
namespace attend {

// How the tags of tokens become those of words and entities.
//
//   words    words end at white space; the first token of a word has its tag
//   none     every token is a word and, with its tag, a group of its own
//   simple   every token is a word; groups are neighbors of one type
//   first    words are those of the tokenizer; the first token of a word has its tag
//   average  the tag is that of the mean of the probabilities of the tokens
//   max      the tag is that of the token with the highest probability
//
// From `none` on as the pipelines of transformers have them. standard: simple for imported models,
// words for others, which know no other words: for them, `none` keeps the tags of words apart,
// simple and first are `words`, and average and max are refused.
enum class TagAggregation { standard, words, none, simple, first, average, max };

struct TaggingOptions {
  std::int64_t batch_tokens = 1024;  // tokens per batch
  int window = 1024;  // lines of a stream to read ahead; 1: answer every line at once
  TagAggregation aggregation_strategy = TagAggregation::standard;
  std::vector<std::string> ignore_labels = {"O"};  // of groups to leave out
  // Tokens that the parts of a text share, to tag a text that is longer than an imported model
  // reads; 0: it is truncated. Words of other models are never left out.
  int stride = 0;
  // Imported models read the string of a special token in a text, such as "[SEP]", as this token;
  // true: as letters, as other models always do.
  bool split_special_tokens = false;
  TextPreparation preparation = {};  // words are those of the prepared text
};

// Words [begin, end) of one entity, or of one tag.
struct TagGroup {
  std::string label;  // the type of the entity; the tag, if tags are not those of entities
  std::size_t begin = 0, end = 0;
  std::string text;    // as the tokens spell it; of `words` the part of the text
  TokenSpan span;      // its bytes in the text
  float score = 0.0f;  // the mean probability of its words
};

// A text with the most probable tag of each word (the first of equal ones).
struct Tagging {
  std::vector<std::string> words;
  std::vector<std::size_t> tags;      // indices into Tagger::labels()
  std::vector<float> probabilities;   // of `tags`
  std::vector<TokenSpan> spans = {};  // the bytes of each word in the text
  std::vector<TagGroup> groups = {};  // in the order of the text
  std::string text = {};              // what was tagged; words have spaces between

  // The entities of IOB tags: the groups of an imported model, else entities_of().
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
