#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "attend/cli/binding/model_decoding.h"
#include "attend/cli/commands/evaluate/evaluation.h"
#include "attend/cli/output.h"
#include "attend/cli/progress_line.h"
#include "attend/cli/text_input.h"
#include "attend/data/documents.h"
#include "attend/error.h"

namespace attend {

namespace {

TextPerplexity measured_documents(const LanguageModel& model, const LanguageEvaluation& options,
                                  const std::function<void(std::string&)>& filter) {
  const DocumentOptions reading{.documents = true, .document_end = options.document_end};
  std::vector<std::string> documents;
  for (const std::string& file : options.text) {
    UnitReader reader(file, reading);
    reader.set_filter(filter);
    for (std::string document; reader.next(document);) documents.push_back(document);
  }
  ProgressLine progress("", "tokens", progress_on_standard_error(false));
  TextPerplexity result = document_perplexity(model, documents, options.perplexity,
                                              [&](std::int64_t tokens) { progress.add(tokens); });
  progress.end();
  return result;
}

TextPerplexity measured(const LanguageModel& model, const LanguageEvaluation& options,
                        TextInput& input) {
  const auto filter = [&](const std::string& line) { input.look_at(line); };
  if (!model.text.has_lines()) return measured_documents(model, options, filter);
  if (!options.document_end.empty())
    throw ConfigError("--document-end: expected a model of documents, got one of lines");
  const LanguageText text = read_language(options.text, model.tokenizer, filter);
  ProgressLine progress = ProgressLine::counting("tokens", text.targets());
  TextPerplexity result = text_perplexity(model, text, options.perplexity,
                                          [&](std::int64_t tokens) { progress.add(tokens); });
  progress.end();
  return result;
}

}  // namespace

void evaluate_language_model(const LanguageModel& model, LanguageEvaluation options,
                             const EvaluationOutput& output, const OptionBinding& binding) {
  if (options.text.empty())
    throw ConfigError("--text: expected the text to measure the perplexity on, got none");
  use_model_cache(model, binding, options.perplexity.cache);
  TextInput input(model);
  const TextPerplexity result = measured(model, options, input);
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
