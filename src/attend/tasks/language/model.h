// A saved language model: see saved_model.h, and
//
//   metadata   attend.task     "language modeling"
//              attend.config   the LanguageTransformerConfig, as JSON
//              attend.context  the LanguageOptions of its training, as JSON
//              attend.cache    the ContinuousCacheOptions for prediction, as JSON; absent: none
//              attend.first_token  the id that begins a text of lines; absent: eos
//              attend.language_format  the LanguageFormat, as JSON; absent: lines that forbid none
//              attend.generation  the GenerationDefaults, as JSON; absent: those of the library
//              attend.chat     the ChatFormat of conversations, as JSON; absent: none
//   tensors    tokenizer
//
// language_format.h says what a text is.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string_view>
#include <vector>

#include "attend/checkpoint/checkpoint.h"
#include "attend/core/options/options.h"
#include "attend/data/language.h"
#include "attend/decode/beam_search.h"
#include "attend/decode/sampling.h"
#include "attend/decode/scorers/continuous_cache.h"
#include "attend/models/language_transformer.h"
#include "attend/tasks/language/chat.h"
#include "attend/tasks/language/language_format.h"
#include "attend/tasks/model_file/saved_model.h"
#include "attend/text/tokenizer.h"

namespace attend {

// How the makers of a model let it write, unless the user says otherwise.
struct GenerationDefaults {
  float temperature = 1.0f;
  int top_k = 0;
  float top_p = 1.0f;
  float repetition_penalty = 1.0f;
  int no_repeat_ngram = 0;
  int min_tokens = 0;

  bool operator==(const GenerationDefaults&) const = default;
};

template <class Visitor>
void fields(GenerationDefaults& o, Visitor&& visit) {
  visit("temperature", o.temperature, kTemperatures, "default temperature");
  visit("top-k", o.top_k, between(0, kVocabularySizes.most), "default of top-k");
  visit("top-p", o.top_p, above(0, 1), "default of top-p");
  visit("repetition-penalty", o.repetition_penalty, kRepetitionPenalties,
        "default factor of tokens in the context");
  visit("no-repeat-ngram", o.no_repeat_ngram, kOutputLengths,
        "default length of the sequences that are never written twice");
  visit("min-tokens", o.min_tokens, between(0, 1e9), "default shortest continuation");
}

struct LanguageModel final : SavedModel {
  static constexpr std::string_view kTask = "language modeling";

  std::shared_ptr<LanguageTransformer> network;
  Tokenizer tokenizer;
  LanguageOptions context;       // the training length
  ContinuousCacheOptions cache;  // the cache for prediction
  LanguageFormat text;           // without a format: lines that begin with eos
  GenerationDefaults generation = {};
  std::optional<ChatFormat> chat = std::nullopt;

  LanguageModel(std::shared_ptr<LanguageTransformer> network, Tokenizer tokenizer,
                LanguageOptions context, ContinuousCacheOptions cache = {});

  // The tokens of one line or document.
  std::vector<std::int32_t> ids(std::string_view text) const;
  // The tokens of a text to continue. Documents: as the tokenizer has them, with those before and
  // after a text, or the one that begins a text without tokens. Throws DataError if there is none.
  // `special`: what the strings of special tokens in a document are.
  std::vector<std::int32_t> prompt_ids(std::string_view text,
                                       SpecialText special = SpecialText::as_tokens) const;
  // The same for the tokens of one line or document.
  std::vector<std::int32_t> prompt_of(const std::vector<std::int32_t>& ids) const;
  // The tokens of a text to score, of which the first is only input: of lines it ends with eos.
  std::vector<std::int32_t> passage_ids(std::string_view text) const;

  // What ends an answer in a conversation: always something does.
  std::vector<std::int32_t> conversation_ends() const;

  // The context for a requested number of tokens; 0: the training length. Throws ConfigError for
  // more than the model's positions.
  int context_for(int asked) const;

  std::string_view task() const override { return kTask; }
  ParameterSet& parameters() const override { return network->parameters(); }
  std::vector<NamedTokenizer> tokenizers() const override { return {{"tokenizer", tokenizer}}; }
  Metadata configuration() const override;
  std::int64_t longest_input() const override;
  TextEncoder text_encoder() const override;  // a token sees only earlier ones
  std::optional<StackConfig> stack() const override { return network->config(); }
  void see_later_tokens() override { network->see_later_tokens(); }
  GoldenFormat golden_format() const override {
    return {{{"ids", &tokenizer}}, "log_probability", "passages"};
  }
  GoldenInput random_input(Random& random) const override;
  std::vector<std::vector<float>> golden_outputs(
      const std::vector<GoldenInput>& inputs) const override;
};

// Throws IoError, or DataError for a damaged file or another kind of model.
LanguageModel load_language_model(const std::filesystem::path& path);
LanguageModel language_model(const Checkpoint& checkpoint);

}  // namespace attend
