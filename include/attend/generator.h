// Language models: generating text and scoring it.
//
// A model knows lines or documents. Models that attend trains on lines take a line break for the
// end of a line. For models of documents, such as imported ones, a text is what their tokenizer
// makes of it, line breaks are characters, and the model says which tokens end an answer.
//
//   const auto generator = attend::Generator::load("model.safetensors");
//   generator.generate("Once upon a time", {},
//                      [](std::string_view more) { std::cout << more << std::flush; });
//
// Text is UTF-8. Const members may be called from any number of threads at once; each call gets
// the answer it would get alone. Copies share the model.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "attend/explanation.h"
#include "attend/metrics.h"
#include "attend/runtime.h"
#include "attend/search.h"
#include "attend/text_preparation.h"
#include "attend/tokenizer.h"

#pragma GCC visibility push(default)
namespace attend {

// Beam search instead of sampling: finds the most likely continuation.
struct GenerationBeam {
  int beam_size = 0;  // 0: sample
  float length_penalty = 1.0f;
  // The search ends when it has beam_size times this many texts (Kasai et al. 2022)
  float patience = 1.0f;
};

struct GenerationOptions {
  SamplingOptions sampling;  // sampling.max_length is ignored
  GenerationBeam beam;
  int n_best = 1;  // continuations returned by generate_best(); generate() returns one
  // Positive logits of tokens in the context are divided by this, negative ones multiplied (Keskar
  // et al. 2019); 1: off
  float repetition_penalty = 1.0f;
  // Length of the n-grams that are never repeated, those of the prompt included; 0: any may be
  int no_repeat_ngram = 0;
  int max_tokens = 200;   // most tokens to generate
  int min_tokens = 0;     // an end ends a continuation only after so many tokens
  bool one_line = false;  // of a model of lines: stop at the end of the line
  // Says how a model of documents reads the strings of special tokens in the prompt: true: as these
  // tokens, like transformers; false: as letters, which is how a text of somebody else should be
  // read.
  bool special_tokens = true;
  int context = 0;  // context in tokens; 0: the training length
  ContinuousCacheOptions cache = {};
  std::vector<std::vector<std::int32_t>> forbidden_ids = {};  // sequences of tokens never written
  // Tokens that end a continuation instead of the model's own; of a model of lines: with one_line
  std::vector<std::int32_t> end_ids = {};
  // The number of most likely tokens that GeneratedToken names beside each token, when sampling; at
  // most 100
  int likeliest = 0;
  TextPreparation preparation = {};  // of each line of a prompt that is a text
  std::string prompt_source;         // names the prompt in messages ("standard input")
};

struct Generation {
  std::string text;                 // the continuation, without the prompt
  std::vector<std::int32_t> ids;    // its tokens, with the one that ended it
  std::vector<float> token_scores;  // log-probability of each token (natural logarithm), before
                                    // temperature and penalties
  float score = 0;                  // sum of token_scores; for beam search divided by
                                    // length^penalty
  bool complete = false;            // ended by an end, not by max_tokens
};

// A token of a continuation, reported as it is generated.
struct GeneratedToken {
  std::size_t item = 0;  // number of the continuation, if there are several
  std::int32_t id = 0;
  float score = 0;   // log-probability, before temperature and penalties
  std::string text;  // what the token completes, in whole characters; may be empty
  // The most likely tokens at its place, by the same log-probabilities, most likely first
  std::vector<ScoredToken> likeliest = {};
};

class Generator {
 public:
  // Loads a model file written by `attend train lm` or train() (attend/training.h). Without a
  // runtime it uses the default one. Throws IoError, or DataError for a damaged file or another
  // kind of model.
  static Generator load(const std::filesystem::path& path,
                        std::shared_ptr<Runtime> runtime = nullptr);

  // The defaults, with the options stored in the model: of the cache and, of an imported model,
  // what its makers recommend.
  GenerationOptions default_options() const;

  const Tokenizer& tokenizer() const;
  // The context of the model in tokens, prompt and continuation together: the training length.
  int context() const;

  // Continues `prompt`, whose lines end with '\n', from its last character. An empty prompt starts
  // a new text; a model that names no token to begin with refuses it. `accept` receives the text as
  // it grows, in whole characters. The result is a function of (model, prompt, options, sample):
  // `sample` numbers the texts drawn with one seed. When the context is full, generation continues
  // with its newer half. Throws ConfigError for an option out of range, DataError for a prompt
  // longer than the context.
  Generation generate(std::string_view prompt, const GenerationOptions& options = {},
                      const std::function<void(std::string_view)>& accept = {},
                      std::uint64_t sample = 0) const;

  // The n_best continuations found by beam search, best first. Throws like generate(), and
  // ConfigError unless 1 <= n_best <= beam_size.
  std::vector<Generation> generate_best(std::string_view prompt,
                                        const GenerationOptions& options) const;

  // The tokens that generate() reads for a prompt, with those that stand before it. Throws
  // DataError for a text that is not UTF-8, and for one without tokens.
  std::vector<std::int32_t> prompt_ids(std::string_view prompt,
                                       const GenerationOptions& options = {}) const;

  // How likely each token of a prompt is after those before it, and which would have been the
  // `likeliest` (0 to 100) at its place. Nothing predicts the first, whose score is NaN. `text` is
  // what a token adds to the text: nothing for those that stand before it. Throws DataError for no
  // ids, more than the context holds or ids outside the vocabulary; ConfigError for an option out
  // of range.
  std::vector<GeneratedToken> score_tokens(std::span<const std::int32_t> ids,
                                           int likeliest = 0) const;

  // The log-probability of each line on its own, from the end of the previous line to its own end.
  // A model of documents takes each for a document, which has no end, and whose first token counts
  // only where one stands before it.
  // Throws DataError for a line that is too long.
  std::vector<SequenceScore> score(std::span<const std::string> lines,
                                   const ScoringOptions& options = {}) const;

  // The perplexity of the lines, read as one text. Throws DataError if they are empty.
  Perplexity perplexity(std::span<const std::string> lines) const;

  // Explains why the model prefers a token of `text`, or the most probable token after it, to
  // another one. Throws ConfigError for an option out of range, a position beyond the end or a word
  // that is not in the vocabulary; DataError for a text of more than 1024 tokens.
  OutputExplanation explain(const std::string& text, const ExplanationOptions& options = {}) const;

 private:
  friend class BaseModel;
  friend class Engine;
  struct Impl;
  explicit Generator(std::shared_ptr<const Impl> impl) : impl_(std::move(impl)) {}
  std::shared_ptr<const Impl> impl_;
};

}  // namespace attend
#pragma GCC visibility pop
