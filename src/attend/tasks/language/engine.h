// Implements attend/generator.h, for code that holds the model itself.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "attend/core/options/options.h"
#include "attend/decode/beam_search.h"
#include "attend/decode/sampling.h"
#include "attend/decode/scorers/continuous_cache.h"
#include "attend/generator.h"
#include "attend/tasks/language/model.h"
#include "attend/tasks/language/running_generations.h"
#include "attend/text/preparation.h"

namespace attend {

template <class Visitor>
void fields(GenerationBeam& b, Visitor&& visit) {
  visit("beam-size", b.beam_size, between(0, kBeamSizes.most),
        "beam search with this many hypotheses; 0: sample");
  visit("length-penalty", b.length_penalty, kLengthPenalties,
        "beam search: scores are log-probabilities divided by length^penalty");
  visit("patience", b.patience, kPatiences,
        "end beam search with beam-size times this many texts; above 1: slower, sometimes better");
}

template <class Visitor>
void fields(GenerationOptions& o, Visitor&& visit) {
  visit("max-tokens", o.max_tokens, between(1, 1e9), "longest continuation in tokens");
  visit("min-tokens", o.min_tokens, between(0, 1e9),
        "shortest continuation in tokens, for one that ends with its line");
  visit("one-line", o.one_line, "stop at the end of the line, with a model of lines");
  visit("special-tokens", o.special_tokens,
        "read special tokens that are written in the prompt as tokens, with a model of documents; "
        "otherwise as text");
  fields(o.sampling, visit);
  fields(o.beam, visit);
  visit("n-best", o.n_best, between(1, 1e6),
        "continuations to write: samples, or the best of beam search");
  visit("no-repeat-ngram", o.no_repeat_ngram, kOutputLengths,
        "length in tokens of the sequences that are never written twice, the prompt included; 0: "
        "all may be repeated");
  visit("repetition-penalty", o.repetition_penalty, kRepetitionPenalties,
        "divide positive logits of tokens in the context by this, multiply negative ones; 1: off");
  visit("context", o.context, between(0, 1e6),
        "context of the model in tokens; 0: the training length");
  fields(o.cache, visit);
  fields(o.preparation, visit);
}

// Const members may be called from any number of threads at once; each call gets the answer it
// would get alone.
class GenerationEngine {
 public:
  // Throws IoError or DataError.
  static GenerationEngine load(const std::filesystem::path& path) {
    return GenerationEngine(load_language_model(path));
  }
  explicit GenerationEngine(LanguageModel model)
      : model_(std::make_shared<const LanguageModel>(std::move(model))) {}

  const LanguageModel& model() const { return *model_; }
  // The defaults, with the options stored in the model.
  GenerationOptions default_options() const;

  // Continues `prompt` (UTF-8, lines end with '\n') from its last character; an empty prompt starts
  // a new text. `accept` receives the text as it grows, in whole characters. The result is a
  // function of (model, prompt, options, sample). When the context is full, generation continues
  // with its newer half. Throws ConfigError for bad options, DataError for a prompt longer than the
  // context.
  Generation generate(std::string_view prompt, const GenerationOptions& options = {},
                      const std::function<void(std::string_view)>& accept = {},
                      std::uint64_t sample = 0) const;

  // What the model reads of a prompt. Throws ConfigError, and DataError for a text that is not
  // UTF-8.
  std::string prepared(std::string_view prompt, const GenerationOptions& options) const;
  // The tokens of a prompt, however many. Throws DataError for a text that is not UTF-8, and for
  // one without tokens.
  std::vector<std::int32_t> prompt_ids(std::string_view text,
                                       const GenerationOptions& options) const;
  // The prompt for RunningGenerations: n_best continuations. Throws like generate().
  GenerationPrompt prompt(std::string_view text, const GenerationOptions& options,
                          std::uint64_t sample) const;
  // The same for tokens of a text, which are continued as they are. Also throws DataError for none,
  // and for ids outside the vocabulary.
  GenerationPrompt prompt(std::vector<std::int32_t> ids, const GenerationOptions& options,
                          std::uint64_t sample) const;
  // The ids of a text to score. Throws like prompt().
  std::vector<std::int32_t> ids_to_score(std::vector<std::int32_t> ids, int likeliest) const;
  // The same for a prompt of tokens, such as Chat::tokens(): a conversation, whose next part ends
  // with eos. Also throws DataError for none, and for ids outside the vocabulary.
  GenerationPrompt conversation(std::vector<std::int32_t> tokens, const GenerationOptions& options,
                                std::uint64_t sample) const;
  // For these and other prompts.
  std::unique_ptr<RunningGenerations> running() const {
    return std::make_unique<RunningGenerations>(model_);
  }

  // The n_best continuations of such a prompt, by sampling or search.
  std::vector<Generation> generate(GenerationPrompt prompt) const;

  // The n_best continuations found by beam search, best first. Throws like generate(), and
  // ConfigError unless 1 <= n_best <= beam_size.
  std::vector<Generation> generate_best(std::string_view prompt,
                                        const GenerationOptions& options) const;

 private:
  std::vector<std::int32_t> ids_of_prepared(std::string_view prompt,
                                            const GenerationOptions& options) const;

  std::shared_ptr<const LanguageModel> model_;
};

}  // namespace attend
