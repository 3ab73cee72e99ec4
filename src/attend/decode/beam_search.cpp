#include "attend/decode/beam_search.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "attend/core/option_fields.h"
#include "attend/decode/running_batch.h"
#include "attend/error.h"

namespace attend {

namespace {

// The tokens that would end a sequence of `n` tokens that `written` already has.
std::vector<std::int32_t> repeating_tokens(std::span<const std::int32_t> written, int n) {
  const auto known = static_cast<std::size_t>(n) - 1;
  std::vector<std::int32_t> tokens;
  if (n == 0 || written.size() < known) return tokens;
  const auto last = written.last(known);
  for (std::size_t i = 0; i + known < written.size(); ++i)
    if (std::equal(last.begin(), last.end(), written.begin() + static_cast<std::ptrdiff_t>(i)))
      tokens.push_back(written[i + known]);
  return tokens;
}

}  // namespace

void check_search(const BeamSearchOptions& options) {
  check_options(options);
  if (options.n_best > options.beam_size)
    throw ConfigError(fmt::format("n-best: expected 1 to beam-size {}, got {}", options.beam_size,
                                  options.n_best));
}

struct BeamSearch::Live {
  Hypothesis so_far;
  std::int32_t parent = 0;                   // among the hypotheses of the last step
  std::vector<std::int32_t> repeating = {};  // tokens that would repeat an n-gram
};

// A continuation of one active hypothesis by one token.
struct BeamSearch::Candidate {
  float log_probability;
  float token_score;
  std::int32_t parent;  // index into live_
  std::int32_t token;
  BeamFate fate = BeamFate::pruned;

  Hypothesis extend(const Hypothesis& hypothesis, bool ends) const {
    Hypothesis longer = hypothesis;
    longer.log_probability = log_probability;
    longer.token_scores.push_back(token_score);
    if (!ends) longer.ids.push_back(token);
    return longer;
  }
};

BeamSearch::BeamSearch(const Arrival& sentence, std::int32_t eos, const BeamSearchOptions& options,
                       Listener listener)
    : options_(options),
      listener_(std::move(listener)),
      eos_(eos),
      first_token_(
          sentence.prefix[sentence.prefix.size() - 1 - static_cast<std::size_t>(sentence.forced)]),
      longest_(options.max_length > 0 ? options.max_length : sentence.max_length) {
  check_search(options);
  live_.push_back({sentence.output()});
  continue_live();
}

BeamSearch::BeamSearch(BeamSearch&&) noexcept = default;
BeamSearch& BeamSearch::operator=(BeamSearch&&) noexcept = default;
BeamSearch::~BeamSearch() = default;

void BeamSearch::continue_live() {
  continuations_.clear();
  for (Live& live : live_) {
    const std::vector<std::int32_t>& ids = live.so_far.ids;
    continuations_.push_back({live.parent, ids.empty() ? first_token_ : ids.back()});
    if (options_.no_repeat_ngram == 0) continue;
    std::vector<std::int32_t> written{first_token_};
    written.insert(written.end(), ids.begin(), ids.end());
    live.repeating = repeating_tokens(written, options_.no_repeat_ngram);
  }
}

int BeamSearch::candidates() const {
  std::size_t most_repeating = 0;
  for (const Live& live : live_) most_repeating = std::max(most_repeating, live.repeating.size());
  return options_.beam_size + 1 + static_cast<int>(most_repeating);
}

// Best first, without those of probability 0. Columns that other sentences need are left out.
std::vector<BeamSearch::Candidate> BeamSearch::best_candidates(const BestTokens& best,
                                                               std::int64_t first,
                                                               const Scorer& scorer) const {
  std::vector<Candidate> all;
  const std::int64_t columns = std::min<std::int64_t>(candidates(), best.log_probabilities.cols());
  for (std::size_t h = 0; h < live_.size(); ++h) {
    const Live& live = live_[h];
    const std::int64_t row = first + static_cast<std::int64_t>(h);
    const float* scores = best.log_probabilities.row(row);
    require_probabilities(scores[0]);
    for (std::int64_t i = 0; i < columns; ++i) {
      if (std::isinf(scores[i])) break;
      const std::int32_t token = scorer.token(row, best.columns.row<std::int32_t>(row)[i]);
      if (std::find(live.repeating.begin(), live.repeating.end(), token) != live.repeating.end())
        continue;
      all.push_back({live.so_far.log_probability + scores[i], scores[i],
                     static_cast<std::int32_t>(h), token});
    }
  }
  std::stable_sort(all.begin(), all.end(), [](const Candidate& a, const Candidate& b) {
    return a.log_probability > b.log_probability;
  });
  return all;
}

float BeamSearch::score(float log_probability, std::size_t length) const {
  const auto tokens = static_cast<float>(std::max<std::size_t>(1, length));
  return log_probability / std::pow(tokens, options_.length_penalty);
}

void BeamSearch::finish(Hypothesis hypothesis) {
  hypothesis.score = score(hypothesis.log_probability, hypothesis.token_scores.size());
  finished_.push_back(std::move(hypothesis));
}

void BeamSearch::tell(std::span<const Candidate> candidates, std::int64_t length,
                      BeamFate after) const {
  BeamStep step{static_cast<int>(length), {}};
  for (const Candidate& c : candidates)
    step.candidates.push_back({c.parent, c.token, c.token_score, c.log_probability,
                               score(c.log_probability, static_cast<std::size_t>(length) + 1),
                               c.fate == BeamFate::kept ? after : c.fate});
  listener_(step);
}

void BeamSearch::truncate_live() {
  for (Live& live : live_) {
    live.so_far.complete = false;
    finish(std::move(live.so_far));
  }
  live_.clear();
}

// An end counts if it is among the beam_size best candidates; the best beam_size others stay
// active.
void BeamSearch::advance(const BestTokens& best, std::int64_t first, const Scorer& scorer) {
  const auto beam = static_cast<std::size_t>(options_.beam_size);
  const auto length = static_cast<std::int64_t>(live_.front().so_far.ids.size());
  std::vector<Candidate> all = best_candidates(best, first, scorer);
  std::vector<Live> next;
  for (std::size_t rank = 0; rank < all.size() && next.size() < beam; ++rank) {
    Candidate& candidate = all[rank];
    const Hypothesis& parent = live_[static_cast<std::size_t>(candidate.parent)].so_far;
    if (candidate.token == eos_) {
      if (rank < beam && length >= options_.min_length) {
        finish(candidate.extend(parent, true));
        candidate.fate = BeamFate::ended;
      }
    } else {
      candidate.fate = BeamFate::kept;
      next.push_back({candidate.extend(parent, false), candidate.parent});
    }
  }
  const bool dead_end =
      next.empty() && finished_.empty();  // only an end is possible, and min_length forbids it
  if (!dead_end) live_ = std::move(next);
  const bool cut = (dead_end || length + 1 >= longest_) && finished_.size() < beam,
             done = finished_.size() >= beam;
  if (listener_) tell(all, length, cut ? BeamFate::cut : done ? BeamFate::pruned : BeamFate::kept);
  if (cut) truncate_live();
  if (done) live_.clear();
  continue_live();
}

std::vector<Hypothesis> BeamSearch::take_results() {
  // Finished before truncated; then by score.
  std::stable_sort(finished_.begin(), finished_.end(),
                   [](const Hypothesis& a, const Hypothesis& b) {
                     return a.complete != b.complete ? a.complete : a.score > b.score;
                   });
  if (finished_.size() > static_cast<std::size_t>(options_.n_best))
    finished_.resize(static_cast<std::size_t>(options_.n_best));
  return std::move(finished_);
}

std::vector<std::vector<Hypothesis>> beam_search(Scorer& scorer, std::int32_t eos,
                                                 const BeamSearchOptions& options) {
  check_search(options);
  return decode_all(scorer, [&](const Arrival& sentence, std::size_t) {
    return BeamSearch(sentence, eos, options);
  });
}

}  // namespace attend
