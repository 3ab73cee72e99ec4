// A saved language model: see saved_model.h, and
//
//   metadata   attend.task     "language modeling"
//              attend.config   the LanguageTransformerConfig, as JSON
//              attend.context  the LanguageOptions of its training, as JSON
//              attend.cache    the ContinuousCacheOptions for prediction, as JSON; absent: none
//              attend.first_token  the id that begins a text; absent: eos
//              attend.chat     the ChatFormat of conversations, as JSON; absent: none
//   tensors    tokenizer
//
// A text is one stream of tokens in which eos ends every line and also begins the text, unless the
// model comes from elsewhere and knows another beginning.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string_view>
#include <vector>

#include "attend/checkpoint/checkpoint.h"
#include "attend/data/language.h"
#include "attend/decode/continuous_cache.h"
#include "attend/models/language_transformer.h"
#include "attend/tasks/language/chat.h"
#include "attend/tasks/saved_model.h"
#include "attend/text/tokenizer.h"

namespace attend {

struct LanguageModel final : SavedModel {
  static constexpr std::string_view kTask = "language modeling";

  std::shared_ptr<LanguageTransformer> network;
  Tokenizer tokenizer;
  LanguageOptions context;       // the training length
  ContinuousCacheOptions cache;  // the cache for prediction
  std::int32_t first_token;      // begins a text
  std::optional<ChatFormat> chat = std::nullopt;

  LanguageModel(std::shared_ptr<LanguageTransformer> network, Tokenizer tokenizer,
                LanguageOptions context, ContinuousCacheOptions cache = {});

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
