#include "attend/decode/sampling.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "attend/backend/backend.h"
#include "attend/core/error.h"
#include "attend/core/option_fields.h"
#include "attend/core/random.h"

namespace attend {

std::int32_t sample_token(std::span<const float> log_probabilities, const SamplingOptions& options, float uniform) {
  const float highest = *std::max_element(log_probabilities.begin(), log_probabilities.end());
  require_probabilities(highest);
  std::vector<std::int32_t> order(log_probabilities.size());
  std::iota(order.begin(), order.end(), 0);
  const auto likelier = [&](std::int32_t a, std::int32_t b) {
    const float pa = log_probabilities[static_cast<std::size_t>(a)], pb = log_probabilities[static_cast<std::size_t>(b)];
    return pa != pb ? pa > pb : a < b;
  };
  if (options.top_k > 0 && static_cast<std::size_t>(options.top_k) < order.size()) {
    std::partial_sort(order.begin(), order.begin() + options.top_k, order.end(), likelier);
    order.resize(static_cast<std::size_t>(options.top_k));
  } else if (options.top_p < 1.0f) {
    std::sort(order.begin(), order.end(), likelier);
  }

  std::vector<double> weights(order.size());
  double total = 0;
  for (std::size_t i = 0; i < order.size(); ++i) {
    weights[i] = std::exp((log_probabilities[static_cast<std::size_t>(order[i])] - highest) / options.temperature);
    total += weights[i];
  }
  if (options.top_p < 1.0f) {
    double kept = 0;
    std::size_t count = 0;
    while (count < weights.size() && (count == 0 || kept < options.top_p * total)) kept += weights[count++];
    weights.resize(count);
    total = kept;
  }
  double remaining = uniform * total;
  for (std::size_t i = 0; i < weights.size(); ++i) {
    remaining -= weights[i];
    if (remaining < 0) return order[i];
  }
  return order[weights.size() - 1];
}

namespace {

struct Choice {
  std::int32_t token;
  float score;
};

}  // namespace

std::vector<Hypothesis> sample(StepModel& model, const SpecialTokens& special, const SamplingOptions& options,
                               std::span<const std::uint64_t> stream_of_sentence) {
  check_options(options);
  const auto count = static_cast<std::size_t>(model.sentences());
  if (stream_of_sentence.size() != count)
    throw ConfigError(fmt::format("sampling: expected a stream for each of {} sentences, got {}", count, stream_of_sentence.size()));
  std::vector<Hypothesis> results(count);
  std::vector<Random> random;
  std::vector<std::int32_t> rows(count), tokens(count, special.bos), sentences(count);
  std::iota(rows.begin(), rows.end(), 0);
  std::iota(sentences.begin(), sentences.end(), 0);
  for (const std::uint64_t stream : stream_of_sentence) random.emplace_back(RandomKey{options.seed, stream});

  while (!rows.empty()) {
    model.step(rows, tokens);
    std::vector<Choice> choices;
    for_logits(model, std::ssize(rows), [&](std::int64_t begin, const Tensor& log_probabilities) {
      backend().log_softmax(log_probabilities, log_probabilities);
      for (std::int64_t i = 0; i < log_probabilities.rows(); ++i) {
        const std::span<const float> row(log_probabilities.row(i), static_cast<std::size_t>(log_probabilities.cols()));
        const auto s = static_cast<std::size_t>(sentences[static_cast<std::size_t>(begin + i)]);
        const std::int32_t column = sample_token(row, options, random[s].uniform());
        choices.push_back({model.token(begin + i, column), row[static_cast<std::size_t>(column)]});
      }
    });
    std::vector<std::int32_t> next_rows, next_tokens, next_sentences;
    for (std::size_t r = 0; r < rows.size(); ++r) {
      const auto s = static_cast<std::size_t>(sentences[r]);
      const auto [token, score] = choices[r];
      Hypothesis& result = results[s];
      result.token_scores.push_back(score);
      result.log_probability += result.token_scores.back();
      if (token == special.eos) continue;
      result.ids.push_back(token);
      const std::int64_t longest = options.max_length > 0 ? options.max_length : model.longest(static_cast<std::int64_t>(s));
      if (static_cast<std::int64_t>(result.ids.size()) >= longest) {
        result.complete = false;
        continue;
      }
      next_rows.push_back(static_cast<std::int32_t>(r));
      next_tokens.push_back(token);
      next_sentences.push_back(sentences[r]);
    }
    rows = std::move(next_rows);
    tokens = std::move(next_tokens);
    sentences = std::move(next_sentences);
  }
  for (Hypothesis& result : results) result.score = result.log_probability;
  return results;
}

}  // namespace attend
