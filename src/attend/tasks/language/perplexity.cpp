#include "attend/tasks/language/perplexity.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <numeric>

#include "attend/checkpoint/finite.h"
#include "attend/core/counted.h"
#include "attend/core/option_fields.h"
#include "attend/error.h"
#include "attend/ops/embedding.h"

namespace attend {

namespace {

// The rows of a batch that count.
std::vector<std::int32_t> scored_rows(const LanguageBatch& batch) {
  std::vector<std::int32_t> rows;
  rows.reserve(static_cast<std::size_t>(batch.scored()));
  for (std::size_t b = 0; b < batch.first_scored.size(); ++b) {
    const std::int32_t begin = batch.input.begin_of(static_cast<std::int64_t>(b)),
                       end = batch.input.begin_of(static_cast<std::int64_t>(b) + 1);
    for (std::int32_t n = begin + batch.first_scored[b]; n < end; ++n) rows.push_back(n);
  }
  return rows;
}

// The targets of a batch that count, with the hidden states that predict them, in text order.
struct Predictions {
  Tensor hidden;  // [M, D]
  std::vector<std::int32_t> targets;
  std::vector<float> log_probabilities;

  double nll() const {
    return -std::accumulate(log_probabilities.begin(), log_probabilities.end(), 0.0);
  }
};

Predictions predict(const LanguageTransformer& model, const LanguageBatch& batch) {
  const NoGradient guard;
  Pass pass = Pass::inference();
  Variable hidden = model.hidden(batch.input, pass);
  std::vector<std::int32_t> targets(batch.target->begin(), batch.target->end());
  if (batch.scored() < batch.input.tokens()) {
    const Ids rows = scored_rows(batch);
    hidden = gather_rows(hidden, rows);
    targets.clear();
    for (const std::int32_t row : *rows) targets.push_back(batch.target[row]);
  }
  std::vector<float> log_probabilities = model.target_log_probabilities(hidden, targets);
  return {hidden.value(), std::move(targets), std::move(log_probabilities)};
}

}  // namespace

std::vector<float> target_log_probabilities(const LanguageTransformer& model,
                                            const LanguageBatch& batch) {
  return predict(model, batch).log_probabilities;
}

double negative_log_likelihood(const LanguageTransformer& model, const LanguageBatch& batch) {
  return predict(model, batch).nll();
}

TextPerplexity text_perplexity(const LanguageModel& model, const LanguageText& text,
                               const TextPerplexityOptions& options, const Advance& advance) {
  check_options(options);
  TextPerplexity result;
  result.context = model.context_for(options.context);
  result.stride = options.stride == 0 ? std::max(1, result.context / 2) : options.stride;
  result.unknown = std::count(text.stream.begin(), text.stream.end(), model.tokenizer.unk_id());
  const LanguageEvaluationBatcher batches(text.stream, {result.context}, result.stride,
                                          options.batch);
  std::optional<ContinuousCache> cache;
  if (options.cache.used()) cache.emplace(options.cache, model.network->config().d_model);
  double nll = 0, nll_without = 0;
  for (std::int64_t i = 0; i < batches.batches(); ++i) {
    Predictions predictions = predict(*model.network, batches.batch(i));
    require_finite(predictions.log_probabilities, "log-probabilities of the tokens", model.source);
    nll_without += predictions.nll();
    if (cache)
      predictions.log_probabilities =
          cache->read(predictions.hidden, predictions.targets, predictions.log_probabilities);
    nll += predictions.nll();
    if (advance) advance(std::ssize(predictions.targets));
  }
  result.perplexity.add(nll, text.targets(), text.words, text.characters);
  result.cache_tokens = options.cache.tokens;
  if (cache)
    result.without_cache.emplace().add(nll_without, text.targets(), text.words, text.characters);
  for (const Perplexity& one :
       {result.perplexity, result.without_cache.value_or(result.perplexity)}) {
    const auto per_token = static_cast<float>(one.per_token());
    require_finite(std::span(&per_token, 1), "perplexity of the text", model.source);
  }
  return result;
}

bool TextPerplexity::has_per_word() const {
  return perplexity.words > 0 && std::isfinite(perplexity.per_word());
}

std::string TextPerplexity::summary(int digits) const {
  std::string line =
      fmt::format("perplexity {:.{}f} per token ({}, line ends included)", perplexity.per_token(),
                  digits, counted(perplexity.tokens, "token"));
  if (has_per_word())
    line += fmt::format(", {:.{}f} per word ({})", perplexity.per_word(), digits,
                        counted(perplexity.words, "word"));
  if (perplexity.characters > 0)
    line += fmt::format(", {:.4f} bits per character", perplexity.bits_per_character());
  line += fmt::format("; context {}, stride {}", context, stride);
  if (without_cache)
    line += fmt::format("; with a cache of {}, {:.{}f} per token without",
                        counted(cache_tokens, "token"), without_cache->per_token(), digits);
  if (unknown > 0) line += fmt::format("; {} of the tokens unknown", unknown);
  return line;
}

Perplexity perplexity_of(std::span<const std::string> lines, const LanguageModel& model) {
  TextPerplexityOptions options;
  options.cache = model.cache;
  return text_perplexity(model, encode_language(lines, model.tokenizer), options).perplexity;
}

}  // namespace attend
