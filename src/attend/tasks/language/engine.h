// Generating text with a trained language model: what attend/generator.h promises, for code that
// has the model itself.
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
#include "attend/generator.h"
#include "attend/tasks/language/model.h"

namespace attend {

template <class Visitor>
void fields(GenerationBeam& b, Visitor&& visit) {
  visit("beam-size", b.beam_size, between(0, kBeamSizes.most),
        "beam search with this many hypotheses; 0: sample");
  visit("length-penalty", b.length_penalty, kLengthPenalties,
        "beam search: scores are log-probabilities divided by length^penalty");
}

template <class Visitor>
void fields(GenerationOptions& o, Visitor&& visit) {
  visit("max-tokens", o.max_tokens, between(1, 1e9), "longest continuation in tokens");
  visit("one-line", o.one_line, "stop at the end of the line");
  fields(o.sampling, [&](std::string_view name, auto& value, const auto&... rest) {
    visit(name == "sampling-seed" ? "seed" : name, value, rest...);
  });
  fields(o.beam, visit);
  visit("n-best", o.n_best, between(1, 1e6),
        "continuations to write: samples, or the best of beam search");
  visit("repetition-penalty", o.repetition_penalty, between(1e-6, 1e6),
        "divide the logits of tokens in the context by this, multiply negative ones; 1: off");
  visit("context", o.context, between(0, 1e6),
        "context of the model in tokens; 0: as many as in training");
  fields(o.cache, visit);
}

// Any number of threads may call the const members of one object at the same time; they get the
// answers that they would get alone.
class GenerationEngine {
 public:
  // Throws IoError or DataError.
  static GenerationEngine load(const std::filesystem::path& path) {
    return GenerationEngine(load_language_model(path));
  }
  explicit GenerationEngine(LanguageModel model)
      : model_(std::make_shared<const LanguageModel>(std::move(model))) {}

  const LanguageModel& model() const { return *model_; }
  // The defaults, with the cache that the model was made for.
  GenerationOptions default_options() const;

  // Continues `prompt` (UTF-8; lines end with '\n', and the text goes on behind its last character;
  // empty: a text from its beginning). `accept` receives the text as it grows, whole characters
  // only. A function of (model, prompt, options, sample) and nothing else. When the context is full
  // the model goes on with the newer half of it. Throws ConfigError for bad options, DataError for
  // a prompt that does not fit into the context.
  Generation generate(std::string_view prompt, const GenerationOptions& options = {},
                      const std::function<void(std::string_view)>& accept = {},
                      std::uint64_t sample = 0) const;

  // The n_best continuations that beam search finds, best first. Throws as generate() does;
  // ConfigError unless 1 <= n_best <= beam_size.
  std::vector<Generation> generate_best(std::string_view prompt,
                                        const GenerationOptions& options) const;

 private:
  std::shared_ptr<const LanguageModel> model_;
};

}  // namespace attend
