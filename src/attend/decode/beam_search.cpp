#include "attend/decode/beam_search.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "attend/core/options/option_error.h"
#include "attend/core/options/option_fields.h"
#include "attend/decode/running_batch.h"
#include "attend/error.h"

namespace attend {

namespace {

bool contains(const std::vector<std::int32_t>& tokens, std::int32_t token) {
  return std::find(tokens.begin(), tokens.end(), token) != tokens.end();
}

}  // namespace

std::size_t most_outputs(const BeamSearchOptions& options) {
  const float outputs = std::round(static_cast<float>(options.beam_size) * options.patience);
  return std::max<std::size_t>(1, static_cast<std::size_t>(outputs));
}

void check_search(const BeamSearchOptions& options) {
  check_options(options);
  if (static_cast<std::size_t>(options.n_best) <= most_outputs(options)) return;
  const std::string patience =
      options.patience == 1.0f ? "" : fmt::format(" times patience {}", options.patience);
  throw OptionError<ConfigError>("{}: expected 1 to {} {}{}, got {}", as_key("n-best"),
                                 as_key("beam-size"), options.beam_size, patience, options.n_best);
}

struct BeamSearch::ActiveHypothesis {
  Hypothesis so_far;
  std::int32_t parent = 0;  // among the hypotheses of the last step
  PhraseRules::Progress progress = {};
  std::vector<std::int32_t> banned = {};  // tokens that may not come next
  LogitChange change = {};                // before the others are looked for
};

// A continuation of one active hypothesis by one token.
struct BeamSearch::Candidate {
  float log_probability;
  float token_score;
  std::int32_t parent;  // index into live_
  std::int32_t token;
  int met = 0;            // tokens of required phrases that it has, as PhraseRules::met()
  bool advances = false;  // whether these are more than its hypothesis has
  bool eligible = true;
  BeamFate fate = BeamFate::pruned;

  Hypothesis extend(const Hypothesis& hypothesis, bool ends) const {
    Hypothesis longer;
    longer.ids.reserve(hypothesis.ids.size() + 1);
    longer.token_scores.reserve(hypothesis.token_scores.size() + 1);
    longer = hypothesis;
    longer.log_probability = log_probability;
    longer.token_scores.push_back(token_score);
    if (ends)
      longer.end = token;
    else
      longer.ids.push_back(token);
    return longer;
  }
};

// The share in the beam of hypotheses that have equally many tokens of required phrases.
struct BeamSearch::Bank {
  std::size_t slots = 0;
  std::size_t kept = 0;
  std::size_t seen = 0;  // candidates so far
};

BeamSearch::BeamSearch(const DecodeRequest& sentence, EndTokens ends,
                       const BeamSearchOptions& options, const OutputRules& rules,
                       Listener listener)
    : options_(options),
      rules_(rules.with(options)),
      listener_(std::move(listener)),
      ends_(std::move(ends)),
      prompt_(sentence.prefix.begin(), sentence.prefix.end() - sentence.forced),
      longest_(options.max_length > 0 ? options.max_length : sentence.max_length) {
  check_search(options);
  live_.push_back({sentence.output()});
  if (rules_.phrases) begin_phrases();
  continue_live();
}

BeamSearch::BeamSearch(BeamSearch&&) noexcept = default;
BeamSearch& BeamSearch::operator=(BeamSearch&&) noexcept = default;
BeamSearch::~BeamSearch() = default;

void BeamSearch::begin_phrases() {
  ActiveHypothesis& live = live_.front();
  live.progress = rules_.phrases->begin(live.so_far.ids);
  const std::int64_t missing = rules_.phrases->total() - rules_.phrases->met(live.progress),
                     room = longest_ - std::ssize(live.so_far.ids);
  if (missing > room)
    throw OptionError<DataError>(
        "phrases: expected room for the {} tokens of the required phrases, got {} of {} {}",
        missing, room, as_key("max-length"), longest_);
}

// Tokens that may not come next leave the others their probabilities: they are passed over, and not
// banned before these are looked for. So many are looked at that the beam is full without them.
void BeamSearch::continue_live() {
  const bool renormalizes = rules_.renormalized || rules_.repetition.factor != 1.0f;
  std::size_t most_banned = 0;
  continuations_.clear();
  for (ActiveHypothesis& live : live_) {
    const std::vector<std::int32_t>& ids = live.so_far.ids;
    continuations_.push_back({live.parent, ids.empty() ? prompt_.back() : ids.back()});
    live.change = rules_.change(prompt_, ids, live.progress);
    live.banned = std::exchange(live.change.banned, {});
    if (renormalizes) live.change.banned = rules_.suppressed;
    most_banned = std::max(most_banned, live.banned.size());
  }
  const std::size_t ends = std::max<std::size_t>(1, ends_.tokens().size());
  looked_at_ = static_cast<std::size_t>(options_.beam_size) + ends + most_banned;
}

std::vector<LogitChange> BeamSearch::logit_changes() const {
  std::vector<LogitChange> changes;
  for (const ActiveHypothesis& live : live_) changes.push_back(live.change);
  return changes;
}

// Unless it may not come next, or would leave no room for required phrases.
void BeamSearch::add_candidate(std::size_t hypothesis, std::int32_t token, float token_score,
                               std::vector<Candidate>& all) const {
  const ActiveHypothesis& live = live_[hypothesis];
  const std::int32_t next = rules_.beginning.next(live.so_far.ids);
  if (next >= 0) token_score = rules_.beginning.biased_log_probability(token_score, token == next);
  if (contains(live.banned, token)) return;
  Candidate candidate{live.so_far.log_probability + token_score, token_score,
                      static_cast<std::int32_t>(hypothesis), token};
  if (rules_.phrases) {
    const int before = rules_.phrases->met(live.progress);
    std::int64_t room = 0;
    candidate.met = before;
    if (!ends_.contain(token)) {
      PhraseRules::Progress progress = live.progress;
      rules_.phrases->read(progress, token);
      candidate.met = rules_.phrases->met(progress);
      room = longest_ - std::ssize(live.so_far.ids) - 1;
    }
    if (rules_.phrases->total() - candidate.met > room) return;
    candidate.advances = candidate.met > before;
  }
  all.push_back(candidate);
}

std::vector<std::int32_t> BeamSearch::required_not_in_candidates(
    std::size_t hypothesis, std::span<const Candidate> listed) const {
  const ActiveHypothesis& live = live_[hypothesis];
  std::vector<std::int32_t> wanted;
  if (rules_.phrases) wanted = rules_.phrases->wanted(live.progress);
  if (const std::int32_t next = rules_.beginning.next(live.so_far.ids); next >= 0)
    wanted.push_back(next);
  wanted = distinct(std::move(wanted));
  std::erase_if(wanted, [&](std::int32_t token) {
    return std::any_of(listed.begin(), listed.end(),
                       [token](const Candidate& c) { return c.token == token; });
  });
  return wanted;
}

// Columns that other sentences need are left out.
std::vector<ScoredToken> BeamSearch::likeliest(const BestTokens& best, std::int64_t row,
                                               const Scorer& scorer) const {
  const float* scores = best.log_probabilities.row(row);
  std::vector<ScoredToken> tokens;
  tokens.reserve(looked_at_);
  for (std::int64_t i = 0; i < best.log_probabilities.cols() && tokens.size() < looked_at_; ++i) {
    if (std::isinf(scores[i])) break;
    const std::int32_t token = scorer.token(row, best.columns.row<std::int32_t>(row)[i]);
    if (!contains(rules_.suppressed, token)) tokens.push_back({token, scores[i]});
  }
  require_probabilities(tokens.empty() ? -std::numeric_limits<float>::infinity()
                                       : tokens.front().score);
  return tokens;
}

// Best first, without those of probability 0.
std::vector<BeamSearch::Candidate> BeamSearch::best_candidates(const BestTokens& best,
                                                               std::int64_t first,
                                                               Scorer& scorer) const {
  std::vector<Candidate> all;
  std::vector<std::vector<std::int32_t>> wanted(live_.size());
  for (std::size_t h = 0; h < live_.size(); ++h) {
    const std::int64_t row = first + static_cast<std::int64_t>(h);
    const std::size_t begin = all.size();
    for (const auto& [token, score] : likeliest(best, row, scorer))
      add_candidate(h, token, score, all);
    wanted[h] = required_not_in_candidates(h, std::span(all).subspan(begin));
  }
  if (std::any_of(wanted.begin(), wanted.end(),
                  [](const auto& tokens) { return !tokens.empty(); })) {
    const auto scores = scorer.log_probabilities(first, wanted);
    for (std::size_t h = 0; h < wanted.size(); ++h)
      for (std::size_t i = 0; i < wanted[h].size(); ++i)
        if (!std::isinf(scores[h][i])) add_candidate(h, wanted[h][i], scores[h][i], all);
  }
  std::stable_sort(all.begin(), all.end(), [](const Candidate& a, const Candidate& b) {
    return a.log_probability > b.log_probability;
  });
  if (rules_.phrases) select_eligible(all);
  return all;
}

// The best of all, the best of each hypothesis, and those that go on with a required phrase (Post
// and Vilar 2018, section 3.1).
void BeamSearch::select_eligible(std::vector<Candidate>& all) const {
  const auto beam = static_cast<std::size_t>(options_.beam_size);
  std::vector<bool> has_best(live_.size(), false);
  std::size_t best = 0;
  for (Candidate& candidate : all) {
    const auto hypothesis = static_cast<std::size_t>(candidate.parent);
    candidate.eligible = best < beam || !has_best[hypothesis] || candidate.advances;
    has_best[hypothesis] = true;
    if (!ends_.contain(candidate.token)) ++best;
  }
}

// Each bank has an equal share of the beam, and the one with all required phrases what is left.
// What a bank cannot fill goes to the one below it, and from the lowest to the highest (section
// 3.2).
std::vector<BeamSearch::Bank> BeamSearch::banks(std::span<const Candidate> all) const {
  const auto beam = static_cast<std::size_t>(options_.beam_size);
  if (!rules_.phrases) return {{beam}};
  const auto count = static_cast<std::size_t>(rules_.phrases->total()) + 1;
  std::vector<std::size_t> fill(count, 0);
  for (const Candidate& candidate : all)
    if (candidate.eligible) ++fill[static_cast<std::size_t>(candidate.met)];
  std::vector<Bank> banks(count, Bank{beam / count});
  banks.back().slots += beam % count;
  for (int round = 0; round < 2; ++round) {
    for (std::size_t b = count; b-- > 0;) {
      const std::size_t spare = banks[b].slots - std::min(banks[b].slots, fill[b]);
      banks[b].slots -= spare;
      banks[b > 0 ? b - 1 : count - 1].slots += spare;
    }
  }
  return banks;
}

float normalized_score(float log_probability, std::size_t tokens,
                       const BeamSearchOptions& options) {
  const auto length = static_cast<float>(std::max<std::size_t>(1, tokens));
  return log_probability / std::pow(length, options.length_penalty);
}

void BeamSearch::finish(Hypothesis hypothesis) {
  hypothesis.score =
      normalized_score(hypothesis.log_probability, hypothesis.token_scores.size(), options_);
  finished_.push_back(std::move(hypothesis));
}

void BeamSearch::tell(std::span<const Candidate> candidates, std::int64_t length,
                      BeamFate after) const {
  BeamStep step{static_cast<int>(length), {}};
  for (const Candidate& c : candidates)
    step.candidates.push_back(
        {c.parent, c.token, c.token_score, c.log_probability,
         normalized_score(c.log_probability, static_cast<std::size_t>(length) + 1, options_),
         c.fate == BeamFate::kept ? after : c.fate});
  listener_(step);
}

void BeamSearch::keep_complete_live() {
  std::erase_if(live_, [this](const ActiveHypothesis& live) {
    return rules_.phrases->met(live.progress) < rules_.phrases->total();
  });
  if (live_.empty())
    throw OptionError<DataError>(
        "phrases: found no output of at most {} tokens with all required phrases; use a wider "
        "beam, or a larger {}",
        longest_, as_key("max-length"));
}

void BeamSearch::truncate_live() {
  for (ActiveHypothesis& live : live_) {
    live.so_far.complete = false;
    finish(std::move(live.so_far));
  }
  live_.clear();
}

// An end counts if it is among the best candidates that its bank has slots for; the best others
// stay active.
void BeamSearch::advance(const BestTokens& best, std::int64_t first, Scorer& scorer) {
  const std::size_t enough = most_outputs(options_);
  const auto length = static_cast<std::int64_t>(live_.front().so_far.ids.size());
  std::vector<Candidate> all = best_candidates(best, first, scorer);
  std::vector<Bank> shares = banks(all);
  std::vector<ActiveHypothesis> next;
  for (Candidate& candidate : all) {
    Bank& bank = shares[static_cast<std::size_t>(candidate.met)];
    if (!candidate.eligible || bank.kept == bank.slots) continue;
    const bool among_best = bank.seen++ < bank.slots;
    const ActiveHypothesis& parent = live_[static_cast<std::size_t>(candidate.parent)];
    if (ends_.contain(candidate.token)) {
      if (among_best && length >= options_.min_length) {
        finish(candidate.extend(parent.so_far, true));
        candidate.fate = BeamFate::ended;
      }
      continue;
    }
    candidate.fate = BeamFate::kept;
    ++bank.kept;
    next.push_back({candidate.extend(parent.so_far, false), candidate.parent});
    if (!rules_.phrases) continue;
    next.back().progress = parent.progress;
    rules_.phrases->read(next.back().progress, candidate.token);
  }
  const bool dead_end =
      next.empty() && finished_.empty();  // only an end is possible, and min_length forbids it
  if (!dead_end) live_ = std::move(next);
  if (dead_end && rules_.phrases) keep_complete_live();
  const bool cut = (dead_end || length + 1 >= longest_) && finished_.size() < enough,
             done = finished_.size() >= enough;
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

std::vector<std::vector<Hypothesis>> beam_search(Scorer& scorer, const EndTokens& ends,
                                                 const BeamSearchOptions& options,
                                                 const OutputRules& rules) {
  check_search(options);
  return decode_all(scorer, [&](const DecodeRequest& sentence, std::size_t) {
    return BeamSearch(sentence, ends, options, rules);
  });
}

}  // namespace attend
