// Translation with a trained model: text in, text out. Start here.
//
//   const auto translator = attend::Translator::load("model.safetensors");
//   for (const attend::Translation& t : translator.translate(sentences)) use(t.text());
//
// Text is UTF-8, a sentence to a line. Any number of threads may call the const members of one
// object at the same time; each gets the answer that it would get alone. Copies share the model.
#pragma once

#include <cstdint>
#include <filesystem>
#include <istream>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "attend/answers.h"
#include "attend/metrics.h"
#include "attend/runtime.h"
#include "attend/search.h"
#include "attend/tokenizer.h"

#pragma GCC visibility push(default)
namespace attend {

struct TranslationOptions {
  BeamSearchOptions beam;
  std::optional<SamplingOptions> sampling;  // draw beam.n_best samples instead of searching
  int batch_size = 16;  // sentences decoded together; fewer when they average over 64 tokens
  int window = 1024;  // most lines of a stream to read ahead and sort by length; none is waited for
  int max_source_tokens = 1024;  // longer sentences are a LineError
  bool shortlist = false;  // use only tokens that the model's shortlist has for the source: faster
  bool alignment =
      false;  // fill TranslationCandidate::alignment, with one more pass over each candidate
};

struct TranslationCandidate {
  std::string text;
  float score = 0;                  // the log-probability divided by length^length_penalty
  float log_probability = 0;        // natural logarithm, the end included
  std::vector<std::string> tokens;  // the pieces of the text
  std::vector<float> token_scores;  // log-probability of each token, then of the end
  std::vector<std::pair<int, int>>
      alignment;  // (source word, target word), counted from 0, by the cross-attention
};

struct Translation {
  std::vector<TranslationCandidate> candidates;  // best first; one, empty, for an empty line
  std::vector<std::string> source_tokens;
  const std::string& text() const { return candidates.front().text; }
};

// A matrix of attention weights [rows, cols], row after row: how much the token of each row
// attended to that of each column.
struct AttentionMap {
  std::int64_t rows = 0;
  std::int64_t cols = 0;
  std::vector<float> weights;
};

// The attention of an encoder-decoder on a sentence and its translation, by words.
struct TranslationAttention {
  std::vector<std::string> src_words;  // and the end of the sentence: the columns of every map
  std::vector<std::string> tgt_words;  // and the end: the rows. The row of a word is the one that
                                       // the model predicts it from
  std::vector<std::vector<AttentionMap>>
      layers;  // [layer][head], cross-attention; each row sums to 1
};

class Translator {
 public:
  // A model file that `attend train translation` or train() (attend/training.h) wrote. Without a
  // runtime: the default one. Throws IoError, or DataError for a file that is damaged or holds
  // something else.
  static Translator load(const std::filesystem::path& path,
                         std::shared_ptr<Runtime> runtime = nullptr);

  // The options that the model was made to be used with: its beam size and length penalty.
  TranslationOptions default_options() const;

  const Tokenizer& source_tokenizer() const;
  const Tokenizer& target_tokenizer() const;

  // One translation for each sentence, in their order. What a sentence becomes does not depend on
  // the others. Throws ConfigError for an option out of range, DataError for a sentence that is too
  // long.
  std::vector<Translation> translate(std::span<const std::string> sentences) const;
  std::vector<Translation> translate(std::span<const std::string> sentences,
                                     const TranslationOptions& options) const;

  // Line after line to the end of the stream, in bounded memory; `sink` says what becomes of the
  // answers, and of lines that have none. `name` stands for the stream in messages ("name:line:
  // ...").
  void translate(std::istream& lines, const std::string& name, const AnswerSink<Translation>& sink,
                 const TranslationOptions& options) const;

  // The log-probability of given translations. Throws DataError for a text that is too long, and
  // unless there are as many targets as sources.
  std::vector<SequenceScore> score(std::span<const std::string> sources,
                                   std::span<const std::string> targets,
                                   const ScoringOptions& options = {}) const;

  // What the model looks at when it reads `source` and writes `target`. Throws DataError for a text
  // that is too long.
  TranslationAttention attention(const std::string& source, const std::string& target) const;

 private:
  struct Impl;
  explicit Translator(std::shared_ptr<const Impl> impl) : impl_(std::move(impl)) {}
  std::shared_ptr<const Impl> impl_;
};

}  // namespace attend
#pragma GCC visibility pop
