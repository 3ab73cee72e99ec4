#include "attend/decode/output_rules.h"

#include <cmath>

#include "attend/decode/scorers/scorer.h"

namespace attend {

namespace {

// The tokens that would end a sequence of `n` tokens that a text already has.
std::vector<std::int32_t> repeating_tokens(std::span<const std::int32_t> text, int n) {
  const auto known = static_cast<std::size_t>(n) - 1;
  std::vector<std::int32_t> tokens;
  if (text.size() < known) return tokens;
  const auto last = text.last(known);
  for (std::size_t i = 0; i + known < text.size(); ++i)
    if (std::equal(last.begin(), last.end(), text.begin() + static_cast<std::ptrdiff_t>(i)))
      tokens.push_back(text[i + known]);
  return tokens;
}

// The last `count` tokens of both in a row.
std::vector<std::int32_t> last_tokens(std::span<const std::int32_t> prompt,
                                      std::span<const std::int32_t> output, std::size_t count) {
  const std::size_t of_output = std::min(count, output.size());
  const auto first = prompt.last(count - of_output), second = output.last(of_output);
  std::vector<std::int32_t> tokens(first.begin(), first.end());
  tokens.insert(tokens.end(), second.begin(), second.end());
  return tokens;
}

}  // namespace

std::int32_t PrefixBias::next(std::span<const std::int32_t> written) const {
  const bool follows =
      written.size() < tokens.size() && std::equal(written.begin(), written.end(), tokens.begin());
  return follows ? tokens[written.size()] : -1;
}

float PrefixBias::biased_log_probability(float log_probability, bool is_next) const {
  if (!is_next) return log_probability + std::log1p(-weight);
  return std::log(weight + (1 - weight) * std::exp(log_probability));
}

std::vector<std::int32_t> distinct(std::vector<std::int32_t> tokens) {
  std::sort(tokens.begin(), tokens.end());
  tokens.erase(std::unique(tokens.begin(), tokens.end()), tokens.end());
  return tokens;
}

std::vector<std::int32_t> RepetitionPenalty::tokens(std::span<const std::int32_t> prompt,
                                                    std::span<const std::int32_t> output) const {
  const std::int64_t seen =
      context == 0 ? std::ssize(output)
                   : tokens_in_context(std::ssize(prompt) + std::ssize(output), context);
  auto tokens = distinct(last_tokens(prompt, output, static_cast<std::size_t>(seen)));
  std::erase(tokens, exempt);
  return tokens;
}

OutputRules OutputRules::with(const BeamSearchOptions& options) const {
  OutputRules rules = *this;
  rules.min_length = options.min_length;
  rules.no_repeat_ngram = options.no_repeat_ngram;
  rules.repetition.factor = options.repetition_penalty;
  return rules;
}

LogitChange OutputRules::change(std::span<const std::int32_t> prompt,
                                std::span<const std::int32_t> output,
                                const PhraseRules::Progress& progress) const {
  LogitChange change{.penalty = repetition.factor};
  if (repetition.factor != 1.0f) change.penalized = repetition.tokens(prompt, output);
  if (no_repeat_ngram > 0)
    change.banned = repeating_tokens(last_tokens(prompt, output, prompt.size() + output.size()),
                                     no_repeat_ngram);
  if (phrases) phrases->add_forbidden(progress, change.banned);
  return change;
}

}  // namespace attend
