// Language models: continuing a text, and saying how likely one is.
//
//   const auto generator = attend::Generator::load("model.safetensors");
//   generator.generate("Once upon a time", {}, [](std::string_view more) { std::cout << more <<
//   std::flush; });
//
// Text is UTF-8. Any number of threads may call the const members of one object at the same time;
// each gets the answer that it would get alone. Copies share the model.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "attend/metrics.h"
#include "attend/runtime.h"
#include "attend/search.h"
#include "attend/tokenizer.h"

#pragma GCC visibility push(default)
namespace attend {

// Beam search instead of sampling: the likeliest continuation that it finds.
struct GenerationBeam {
  int beam_size = 0;  // 0: sample
  float length_penalty = 1.0f;
};

struct GenerationOptions {
  SamplingOptions sampling;  // its max_length does not matter here
  GenerationBeam beam;
  int n_best = 1;  // continuations that generate_best() returns; generate() gives one
  float repetition_penalty =
      1.0f;              // divides the logits of tokens in the context (Keskar et al. 2019); 1: off
  int max_tokens = 200;  // tokens to write, at most
  bool one_line = false;  // stop at the end of the line
  int context = 0;        // context of the model in tokens; 0: as many as in training
  ContinuousCacheOptions cache = {};
  std::string prompt_source;  // begins messages about the prompt ("standard input")
};

struct Generation {
  std::string text;                 // what follows the prompt
  std::vector<std::int32_t> ids;    // its tokens; eos for the end of a line
  std::vector<float> token_scores;  // log-probability of each, natural logarithm; sampled: before
                                    // temperature and penalties
  float score = 0;                  // their sum; of beam search: divided by length^penalty
  bool complete = false;            // ended with the line, not with max_tokens
};

class Generator {
 public:
  // A model file that `attend train lm` or train() (attend/training.h) wrote. Without a runtime:
  // the default one. Throws IoError, or DataError for a file that is damaged or holds something
  // else.
  static Generator load(const std::filesystem::path& path,
                        std::shared_ptr<Runtime> runtime = nullptr);

  // The defaults, with the cache that the model was made for.
  GenerationOptions default_options() const;

  const Tokenizer& tokenizer() const;

  // Continues `prompt`, whose lines end with '\n'; the text goes on after its last character. An
  // empty prompt: a text from its beginning. `accept` receives the text as it grows, whole
  // characters only. A function of (model, prompt, options, sample) and nothing else: other numbers
  // for `sample` give other texts. When the context is full the model goes on with the newer half
  // of it. Throws ConfigError for an option out of range, DataError for a prompt that does not fit
  // into the context.
  Generation generate(std::string_view prompt, const GenerationOptions& options = {},
                      const std::function<void(std::string_view)>& accept = {},
                      std::uint64_t sample = 0) const;

  // The n_best continuations that beam search finds, best first. Throws as generate() does;
  // ConfigError unless 1 <= n_best <= beam_size.
  std::vector<Generation> generate_best(std::string_view prompt,
                                        const GenerationOptions& options) const;

  // The log-probability of each line by itself, as it stands between two ends of lines. Throws
  // DataError for one that is too long.
  std::vector<SequenceScore> score(std::span<const std::string> lines,
                                   const ScoringOptions& options = {}) const;

  // How well the model predicts the lines, read as one text. Throws DataError when they are empty.
  Perplexity perplexity(std::span<const std::string> lines) const;

 private:
  struct Impl;
  explicit Generator(std::shared_ptr<const Impl> impl) : impl_(std::move(impl)) {}
  std::shared_ptr<const Impl> impl_;
};

}  // namespace attend
#pragma GCC visibility pop
