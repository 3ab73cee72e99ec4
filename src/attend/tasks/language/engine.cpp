#include "attend/tasks/language/engine.h"

#include <fmt/format.h>

#include <algorithm>

#include "attend/core/options/option_error.h"
#include "attend/core/options/option_fields.h"
#include "attend/core/strings/utf8.h"
#include "attend/decode/beam_search.h"
#include "attend/error.h"
#include "attend/tasks/model_file/model_reading.h"
#include "attend/tasks/text_preparer.h"

namespace attend {

namespace {

// The last line, which continues.
std::string_view last_line(std::string_view text) {
  const std::size_t line_break = text.rfind('\n');
  return line_break == text.npos ? text : text.substr(line_break + 1);
}

// Throws ConfigError.
void check(const GenerationOptions& options, const LanguageModel& model) {
  check_options(options);
  require_in_range("likeliest", options.likeliest, between(0, 100));
  if (options.one_line && !model.text.has_lines())
    throw OptionError<ConfigError>(
        "{}: expected a model of lines; this one knows documents, in which a line break is a "
        "character like others",
        as_key("one-line"));
  const Tokenizer& tokenizer = model.tokenizer;
  if (options.beam.beam_size > 0) check_search(search_options(options));
  if (!is_in_vocabulary(options.end_ids, tokenizer))
    throw ConfigError("end_ids: expected ids of the vocabulary");
  for (const std::vector<std::int32_t>& ids : options.forbidden_ids)
    if (ids.empty() || !is_in_vocabulary(ids, tokenizer))
      throw ConfigError("forbidden_ids: expected ids of the vocabulary in each sequence");
}

// "standard input: ", or nothing.
std::string source_of(const GenerationOptions& options) {
  return options.prompt_source.empty() ? "" : options.prompt_source + ": ";
}

// Throws DataError.
void check_prompt_ids(const std::vector<std::int32_t>& ids, std::string_view name,
                      const LanguageModel& model, const GenerationOptions& options) {
  const int context = model.context_for(options.context);
  if (ids.empty() || !is_in_vocabulary(ids, model.tokenizer))
    throw DataError("a prompt of tokens: expected ids of the vocabulary");
  if (std::ssize(ids) > context)
    throw DataError(
        fmt::format("{} has {} tokens; the model's context holds at most {}: shorten it", name,
                    ids.size(), context));
}

}  // namespace

GenerationOptions GenerationEngine::default_options() const {
  GenerationOptions options;
  options.cache = model_->cache;
  const GenerationDefaults& own = model_->generation;
  options.sampling.temperature = own.temperature;
  options.sampling.top_k = own.top_k;
  options.sampling.top_p = own.top_p;
  options.repetition_penalty = own.repetition_penalty;
  options.no_repeat_ngram = own.no_repeat_ngram;
  options.min_tokens = own.min_tokens;
  return options;
}

std::string GenerationEngine::prepared(std::string_view prompt,
                                       const GenerationOptions& options) const {
  if (!is_utf8(prompt)) throw DataError(source_of(options) + "the prompt is not UTF-8");
  return TextPreparer::of_input(model_->text_kinds, options.preparation).in_parts(prompt, '\n');
}

std::vector<std::int32_t> GenerationEngine::ids_of_prepared(
    std::string_view prompt, const GenerationOptions& options) const {
  return model_->prompt_ids(prompt,
                            options.special_tokens ? SpecialText::as_tokens : SpecialText::as_text);
}

std::vector<std::int32_t> GenerationEngine::prompt_ids(std::string_view text,
                                                       const GenerationOptions& options) const {
  return ids_of_prepared(prepared(text, options), options);
}

GenerationPrompt GenerationEngine::prompt(std::string_view text, const GenerationOptions& options,
                                          std::uint64_t sample) const {
  check(options, *model_);
  const std::string source = source_of(options);
  const bool has_lines = model_->text.has_lines();
  const std::string read = prepared(text, options);
  std::vector<std::int32_t> ids = ids_of_prepared(read, options);
  if (const int context = model_->context_for(options.context); std::ssize(ids) > context)
    throw DataError(fmt::format(
        "{}the prompt has {} tokens{}; the model's context holds at most {}: shorten it", source,
        ids.size(), has_lines ? ", line ends included" : "", context));
  std::vector<std::int32_t> begun = has_lines ? model_->tokenizer.encode(last_line(read)) : ids;
  return {std::move(ids), std::move(begun), options, sample};
}

GenerationPrompt GenerationEngine::prompt(std::vector<std::int32_t> ids,
                                          const GenerationOptions& options,
                                          std::uint64_t sample) const {
  check(options, *model_);
  check_prompt_ids(ids, "the prompt", *model_, options);
  const auto line_end = std::find(ids.rbegin(), ids.rend(), model_->tokenizer.eos_id());
  std::vector<std::int32_t> begun(model_->text.has_lines() ? line_end.base() : ids.begin(),
                                  ids.end());
  return {std::move(ids), std::move(begun), options, sample};
}

std::vector<std::int32_t> GenerationEngine::ids_to_score(std::vector<std::int32_t> ids,
                                                         int likeliest) const {
  GenerationOptions options;
  options.likeliest = likeliest;
  return prompt(std::move(ids), options, 0).stream;
}

GenerationPrompt GenerationEngine::conversation(std::vector<std::int32_t> tokens,
                                                const GenerationOptions& options,
                                                std::uint64_t sample) const {
  check(options, *model_);
  check_prompt_ids(tokens, "the conversation", *model_, options);
  GenerationPrompt prompt{std::move(tokens), {}, options, sample};
  prompt.is_conversation = true;
  return prompt;
}

std::vector<Generation> GenerationEngine::generate(GenerationPrompt prompt) const {
  RunningGenerations running(model_);
  running.join(std::move(prompt));
  for (;;) {
    for (auto& outcome : running.step()) {
      if (outcome.error) std::rethrow_exception(outcome.error);
      return std::move(outcome.result);
    }
  }
}

Generation GenerationEngine::generate(std::string_view text, const GenerationOptions& options,
                                      const std::function<void(std::string_view)>& accept,
                                      std::uint64_t sample) const {
  GenerationOptions one = options;
  one.n_best = 1;
  GenerationPrompt beginning = prompt(text, one, sample);
  std::size_t delivered = 0;
  const auto deliver = [&](std::string_view more) {
    delivered += more.size();
    if (accept && !more.empty()) accept(more);
  };
  beginning.grow = [&](const GeneratedToken& token) { deliver(token.text); };
  Generation result = std::move(generate(std::move(beginning)).front());
  deliver(std::string_view(result.text).substr(delivered));
  return result;
}

std::vector<Generation> GenerationEngine::generate_best(std::string_view text,
                                                        const GenerationOptions& options) const {
  GenerationPrompt beginning = prompt(text, options, 0);
  check_search(search_options(options));
  return generate(std::move(beginning));
}

}  // namespace attend
