#include "attend/decode/sampling.h"

#include <fmt/format.h>

#include <cmath>
#include <numeric>

#include "attend/core/options/option_fields.h"
#include "attend/core/random/random.h"
#include "attend/decode/running_batch.h"
#include "attend/error.h"

namespace attend {

Sampling::Sampling(const DecodeRequest& sentence, EndTokens ends, const SamplingOptions& options,
                   std::span<const std::uint64_t> streams, OutputRules rules)
    : options_(options),
      rules_(std::move(rules)),
      ends_(std::move(ends)),
      prompt_(sentence.prefix.begin(), sentence.prefix.end() - sentence.forced),
      longest_(options.max_length > 0 ? options.max_length : sentence.max_length),
      samples_(streams.size(), sentence.output()),
      active_(streams.size()),
      continuations_(streams.size(), {0, sentence.prefix.back()}) {
  check_options(options);
  for (const std::uint64_t stream : streams) random_.emplace_back(RandomKey{options.seed, stream});
  std::iota(active_.begin(), active_.end(), std::size_t{0});
  PhraseRules::Progress begun;
  if (rules_.phrases) begun = rules_.phrases->begin(sentence.output().ids);
  progress_.assign(streams.size(), begun);
}

// The limit of a distribution as its temperature goes to 0 has one token.
TokenFilter Sampling::filter() const {
  if (options_.temperature == 0.0f) return {.temperature = 1.0f, .top_k = 1, .top_p = 1.0f};
  return {options_.temperature, options_.top_k, options_.top_p};
}

LogitChange Sampling::logit_change(std::size_t sample) const {
  const std::vector<std::int32_t>& ids = samples_[sample].ids;
  LogitChange change = rules_.change(prompt_, ids, progress_[sample]);
  const auto ban = [&](const std::vector<std::int32_t>& tokens) {
    change.banned.insert(change.banned.end(), tokens.begin(), tokens.end());
  };
  ban(rules_.suppressed);
  if (std::ssize(ids) < rules_.min_length) ban(ends_.tokens());
  return change;
}

std::vector<LogitChange> Sampling::logit_changes() const {
  std::vector<LogitChange> changes;
  for (const std::size_t sample : active_) changes.push_back(logit_change(sample));
  return changes;
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
    const std::int32_t token = drawn[i].token;
    const float score = drawn[i].score;
    Hypothesis& result = samples_[active_[i]];
    if (token < 0 && !std::isnan(score)) {
      result.complete = false;
      continue;
    }
    require_probabilities(score);
    result.token_scores.push_back(score);
    if (likeliest_ > 0) result.likeliest.push_back(drawn[i].likeliest);
    result.log_probability += score;
    result.score = result.log_probability;
    if (ends_.contain(token)) {
      result.end = token;
      continue;
    }
    result.ids.push_back(token);
    if (rules_.phrases) rules_.phrases->read(progress_[active_[i]], token);
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
                               std::span<const std::uint64_t> stream_of_sentence,
                               const OutputRules& rules) {
  check_options(options);
  if (stream_of_sentence.size() != scorer.arrivals().size())
    throw ConfigError(fmt::format("sampling: expected a stream for each of {} sentences, got {}",
                                  scorer.arrivals().size(), stream_of_sentence.size()));
  std::vector<Hypothesis> results;
  for (std::vector<Hypothesis>&samples :
       decode_all(scorer, [&](const DecodeRequest&sentence, std::size_t number) {
         return Sampling(sentence, eos, options, stream_of_sentence.subspan(number, 1), rules);
       }))
    results.push_back(std::move(samples.front()));
  return results;
}

}  // namespace attend
