#include "attend/decode/sampling.h"

#include <fmt/format.h>

#include <numeric>

#include "attend/core/option_fields.h"
#include "attend/core/random.h"
#include "attend/decode/running_batch.h"
#include "attend/error.h"

namespace attend {

Sampling::Sampling(const Arrival& sentence, std::int32_t eos, const SamplingOptions& options,
                   std::span<const std::uint64_t> streams)
    : options_(options),
      eos_(eos),
      longest_(options.max_length > 0 ? options.max_length : sentence.max_length),
      samples_(streams.size(), sentence.output()),
      active_(streams.size()),
      continuations_(streams.size(), {0, sentence.prefix.back()}) {
  check_options(options);
  for (const std::uint64_t stream : streams) random_.emplace_back(RandomKey{options.seed, stream});
  std::iota(active_.begin(), active_.end(), std::size_t{0});
}

std::vector<float> Sampling::uniform() {
  std::vector<float> numbers;
  for (const std::size_t sample : active_) numbers.push_back(random_[sample].uniform());
  return numbers;
}

void Sampling::advance(std::span<const DrawnToken> drawn) {
  std::vector<std::size_t> active;
  continuations_.clear();
  for (std::size_t i = 0; i < drawn.size(); ++i) {
    const auto [token, score] = drawn[i];
    require_probabilities(score);
    Hypothesis& result = samples_[active_[i]];
    result.token_scores.push_back(score);
    result.log_probability += score;
    result.score = result.log_probability;
    if (token == eos_) continue;
    result.ids.push_back(token);
    if (std::ssize(result.ids) >= longest_) {
      result.complete = false;
      continue;
    }
    continuations_.push_back({static_cast<std::int32_t>(i), token});
    active.push_back(active_[i]);
  }
  active_ = std::move(active);
}

std::vector<Hypothesis> sample(Scorer& scorer, std::int32_t eos, const SamplingOptions& options,
                               std::span<const std::uint64_t> stream_of_sentence) {
  check_options(options);
  if (stream_of_sentence.size() != scorer.arrivals().size())
    throw ConfigError(fmt::format("sampling: expected a stream for each of {} sentences, got {}",
                                  scorer.arrivals().size(), stream_of_sentence.size()));
  std::vector<Hypothesis> results;
  for (std::vector<Hypothesis>&samples :
       decode_all(scorer, [&](const Arrival&sentence, std::size_t number) {
         return Sampling(sentence, eos, options, stream_of_sentence.subspan(number, 1));
       }))
    results.push_back(std::move(samples.front()));
  return results;
}

}  // namespace attend
