// A language model as users keep it: what saved_model.h says of all models, and
//
//   metadata   attend.task     "language modeling"
//              attend.config   the LanguageTransformerConfig, as JSON
//              attend.context  the LanguageOptions it was trained with, as JSON
//              attend.cache    the ContinuousCacheOptions it predicts with, as JSON; absent: none
//   tensors    tokenizer
//
// A text is one stream of tokens in which eos stands for the end of every line, and for the
// beginning of the text.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string_view>
#include <vector>

#include "attend/checkpoint/checkpoint.h"
#include "attend/data/language.h"
#include "attend/decode/continuous_cache.h"
#include "attend/models/language_transformer.h"
#include "attend/tasks/saved_model.h"
#include "attend/text/tokenizer.h"

namespace attend {

struct LanguageModel final : SavedModel {
  static constexpr std::string_view kTask = "language modeling";

  std::shared_ptr<LanguageTransformer> network;
  Tokenizer tokenizer;
  LanguageOptions context;       // how much of a text it has learned to see at once
  ContinuousCacheOptions cache;  // what it was made to be used with

  LanguageModel(std::shared_ptr<LanguageTransformer> network, Tokenizer tokenizer,
                LanguageOptions context, ContinuousCacheOptions cache = {});

  // Tokens to see at once when so many are asked for; 0: as many as it has learned to. Throws
  // ConfigError for more than it has positions.
  int context_for(int asked) const;

  std::string_view task() const override { return kTask; }
  ParameterSet& parameters() const override { return network->parameters(); }
  std::vector<NamedTokenizer> tokenizers() const override { return {{"tokenizer", tokenizer}}; }
  Metadata configuration() const override;
  std::int64_t longest_input() const override;
  TextEncoder text_encoder() const override;  // a token knows what stands before it
  GoldenFormat golden_format() const override {
    return {{{"ids", &tokenizer}}, "log_probability", "passages"};
  }
  GoldenInput random_input(Random& random) const override;
  std::vector<std::vector<float>> golden_outputs(
      const std::vector<GoldenInput>& inputs) const override;
};

// Throws IoError, or DataError for a file that is damaged or holds something else.
LanguageModel load_language_model(const std::filesystem::path& path);
LanguageModel language_model(const Checkpoint& checkpoint);

}  // namespace attend
