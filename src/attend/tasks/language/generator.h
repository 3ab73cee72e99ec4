// Generating text with a trained language model. Start here to let a program write.
//
//   const attend::Generator generator = attend::Generator::load("model.safetensors");
//   generator.generate("Once upon a time", {}, [](std::string_view more) { std::cout << more << std::flush; });
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "attend/core/options.h"
#include "attend/decode/beam_search.h"
#include "attend/decode/continuous_cache.h"
#include "attend/decode/sampling.h"
#include "attend/tasks/language/model.h"

namespace attend {

// Beam search instead of sampling: the likeliest continuation that it finds.
struct GenerationBeam {
  int beam_size = 0;
  float length_penalty = 1.0f;
};

template <class Visitor>
void fields(GenerationBeam& b, Visitor&& visit) {
  visit("beam-size", b.beam_size, between(0, kBeamSizes.most), "beam search with this many hypotheses; 0: sample");
  visit("length-penalty", b.length_penalty, kLengthPenalties, "beam search: scores are log-probabilities divided by length^penalty");
}

struct GenerationOptions {
  SamplingOptions sampling;  // its max_length does not matter here
  GenerationBeam beam;
  int n_best = 1;
  float repetition_penalty = 1.0f;  // Keskar et al. 2019; with a cache, of log-probabilities
  int max_tokens = 200;
  bool one_line = false;
  int context = 0;
  ContinuousCacheOptions cache = {};
  std::string prompt_source;  // begins messages about the prompt ("standard input"); not an option of the command line
};

template <class Visitor>
void fields(GenerationOptions& o, Visitor&& visit) {
  visit("max-tokens", o.max_tokens, between(1, 1e9), "longest continuation in tokens");
  visit("one-line", o.one_line, "stop at the end of the line");
  fields(o.sampling,
         [&](std::string_view name, auto& value, const auto&... rest) { visit(name == "sampling-seed" ? "seed" : name, value, rest...); });
  fields(o.beam, visit);
  visit("n-best", o.n_best, between(1, 1e6), "continuations to write: samples, or the best of beam search");
  visit("repetition-penalty", o.repetition_penalty, between(1e-6, 1e6),
        "divide the logits of tokens in the context by this, multiply negative ones; 1: off");
  visit("context", o.context, between(0, 1e6), "context of the model in tokens; 0: as many as in training");
  fields(o.cache, visit);
}

struct Generation {
  std::string text;                 // what follows the prompt
  std::vector<std::int32_t> ids;    // its tokens; eos for the end of a line
  std::vector<float> token_scores;  // log-probability of each, natural logarithm; sampled: before temperature and penalties
  float score = 0;                  // their sum; of beam search: divided by length^penalty
  bool complete = false;            // ended with the line, not with max_tokens
};

// Any number of threads may call the const members of one object at the same time; they get the answers that they would get alone.
class Generator {
 public:
  // Throws IoError or DataError.
  static Generator load(const std::filesystem::path& path) { return Generator(load_language_model(path)); }
  explicit Generator(LanguageModel model) : model_(std::make_shared<const LanguageModel>(std::move(model))) {}

  const LanguageModel& model() const { return *model_; }
  // The defaults, with the cache that the model was made for.
  GenerationOptions default_options() const;

  // Continues `prompt` (UTF-8; lines end with '\n', and the text goes on behind its last character; empty: a text from its beginning).
  // `accept` receives the text as it grows, whole characters only. A function of (model, prompt, options, sample) and nothing else. When
  // the context is full the model goes on with the newer half of it. Throws ConfigError for bad options, DataError for a prompt that does
  // not fit into the context.
  Generation generate(std::string_view prompt, const GenerationOptions& options = {},
                      const std::function<void(std::string_view)>& accept = {}, std::uint64_t sample = 0) const;

  // The n_best continuations that beam search finds, best first. Throws as generate() does; ConfigError unless 1 <= n_best <= beam_size.
  std::vector<Generation> generate_best(std::string_view prompt, const GenerationOptions& options) const;

 private:
  std::shared_ptr<const LanguageModel> model_;
};

}  // namespace attend
