#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "attend/cli/evaluation.h"
#include "attend/core/error.h"

namespace attend {

void evaluate_language_model(const Checkpoint& checkpoint, const LanguageEvaluation& options, const EvaluationOutput& output) {
  if (options.text.empty()) throw ConfigError("--text: expected the text to measure the perplexity on, got none");
  const LanguageModel model = language_model(checkpoint);
  const LanguageText text = read_language(options.text, model.tokenizer);
  const TextPerplexity result = text_perplexity(model, text, options.perplexity);
  if (output.format == OutputFormat::text) {
    fmt::print("{}\n", result.summary(output.digits));
    return;
  }
  const Perplexity& p = result.perplexity;
  nlohmann::ordered_json json{
      {"perplexity", p.per_token()}, {"tokens", p.tokens},      {"bits_per_token", p.bits_per_token()}, {"words", p.words},
      {"context", result.context},   {"stride", result.stride}, {"unknown_tokens", result.unknown}};
  if (p.words > 0) json["perplexity_per_word"] = p.per_word();
  fmt::print("{}\n", json.dump(1));
}

}  // namespace attend
