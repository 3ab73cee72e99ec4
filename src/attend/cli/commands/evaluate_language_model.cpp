#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "attend/cli/binding/model_decoding.h"
#include "attend/cli/commands/evaluation.h"
#include "attend/cli/output.h"
#include "attend/cli/progress_line.h"
#include "attend/cli/text_input.h"
#include "attend/error.h"

namespace attend {

void evaluate_language_model(const LanguageModel& model, LanguageEvaluation options,
                             const EvaluationOutput& output, const OptionBinding& binding) {
  if (options.text.empty())
    throw ConfigError("--text: expected the text to measure the perplexity on, got none");
  use_model_cache(model, binding, options.perplexity.cache);
  TextInput input(model);
  const LanguageText text = read_language(options.text, model.tokenizer,
                                          [&](std::string& line) { line = input.take(line); });
  ProgressLine progress = ProgressLine::counting("tokens", text.targets());
  const TextPerplexity result = text_perplexity(model, text, options.perplexity,
                                                [&](std::int64_t tokens) { progress.add(tokens); });
  progress.end();
  if (output.format == OutputFormat::text) {
    answer("{}\n", result.summary(output.digits));
    return input.tell_warning();
  }
  const Perplexity& p = result.perplexity;
  nlohmann::ordered_json json{{"perplexity", p.per_token()},
                              {"tokens", p.tokens},
                              {"bits_per_token", p.bits_per_token()},
                              {"words", p.words},
                              {"context", result.context},
                              {"stride", result.stride},
                              {"unknown_tokens", result.unknown}};
  if (p.characters > 0) json["bits_per_character"] = p.bits_per_character();
  if (result.has_per_word()) json["perplexity_per_word"] = p.per_word();
  if (result.without_cache) {
    json["cache_tokens"] = result.cache_tokens;
    json["perplexity_without_cache"] = result.without_cache->per_token();
  }
  answer("{}\n", json_text(json, 1));
  input.tell_warning();
}

}  // namespace attend
