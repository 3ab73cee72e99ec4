#include "attend/tasks/language/engine.h"

#include <fmt/format.h>

#include <algorithm>

#include "attend/core/option_fields.h"
#include "attend/core/utf8.h"
#include "attend/decode/beam_search.h"
#include "attend/error.h"
#include "attend/tasks/model_reading.h"

namespace attend {

namespace {

// The prompt's tokens, and those of its last line, which continues.
struct Prompt {
  std::vector<std::int32_t> stream;  // begins with the model's first token
  std::vector<std::int32_t> line;
};

// `name`: "the prompt", and its source if known.
Prompt read_prompt(std::string_view text, const std::string& name, const LanguageModel& model,
                   int context) {
  if (!is_utf8(text)) throw DataError(fmt::format("{} is not UTF-8", name));
  Prompt prompt;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    prompt.line = model.tokenizer.encode(text.substr(begin, end - begin));
    prompt.stream.push_back(begin == 0 ? model.first_token : model.tokenizer.eos_id());
    prompt.stream.insert(prompt.stream.end(), prompt.line.begin(), prompt.line.end());
    begin = end + 1;
  }
  if (std::ssize(prompt.stream) > context)
    throw DataError(fmt::format(
        "{} has {} tokens, line ends included; the model's context holds at most {}: shorten it",
        name, prompt.stream.size(), context));
  return prompt;
}

// Throws ConfigError.
void check(const GenerationOptions& options, const Tokenizer& tokenizer) {
  check_options(options);
  require_in_range("likeliest", options.likeliest, between(0, 100));
  if (options.beam.beam_size > 0) check_search(search_options(options));
  if (!is_in_vocabulary(options.end_ids, tokenizer))
    throw ConfigError("end_ids: expected ids of the vocabulary");
  for (const std::vector<std::int32_t>& ids : options.forbidden_ids)
    if (ids.empty() || !is_in_vocabulary(ids, tokenizer))
      throw ConfigError("forbidden_ids: expected ids of the vocabulary in each sequence");
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
  return options;
}

GenerationPrompt GenerationEngine::prompt(std::string_view text, const GenerationOptions& options,
                                          std::uint64_t sample) const {
  check(options, model_->tokenizer);
  const std::string name =
      options.prompt_source.empty() ? "the prompt" : options.prompt_source + ": the prompt";
  Prompt read = read_prompt(text, name, *model_, model_->context_for(options.context));
  return {std::move(read.stream), std::move(read.line), options, sample};
}

GenerationPrompt GenerationEngine::prompt(std::vector<std::int32_t> ids,
                                          const GenerationOptions& options,
                                          std::uint64_t sample) const {
  check(options, model_->tokenizer);
  check_prompt_ids(ids, "the prompt", *model_, options);
  const auto line_end = std::find(ids.rbegin(), ids.rend(), model_->tokenizer.eos_id());
  std::vector<std::int32_t> line(line_end.base(), ids.end());
  return {std::move(ids), std::move(line), options, sample};
}

GenerationPrompt GenerationEngine::conversation(std::vector<std::int32_t> tokens,
                                                const GenerationOptions& options,
                                                std::uint64_t sample) const {
  check(options, model_->tokenizer);
  check_prompt_ids(tokens, "the conversation", *model_, options);
  GenerationPrompt prompt{std::move(tokens), {}, options, sample};
  prompt.options.one_line = prompt.is_conversation = true;
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
