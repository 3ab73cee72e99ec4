#include "attend/decode/beam_search.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <span>

#include "attend/core/option_fields.h"
#include "attend/error.h"

namespace attend {

namespace {

struct Live {
  Hypothesis so_far;
  std::int32_t row = 0;                      // among the hypotheses of the last step
  std::vector<std::int32_t> repeating = {};  // tokens that would repeat an n-gram
};

// A continuation of one active hypothesis by one token.
struct Candidate {
  float log_probability;
  float token_score;
  std::int32_t parent;  // index into Sentence::live
  std::int32_t token;
};

struct Sentence {
  std::vector<Live> live;  // best first
  std::vector<Hypothesis> finished;
  std::int64_t longest = 0;
};

void check(const BeamSearchOptions& o) {
  check_options(o);
  if (o.n_best > o.beam_size)
    throw ConfigError(
        fmt::format("n-best: expected 1 to beam-size {}, got {}", o.beam_size, o.n_best));
}

void finish(Sentence& sentence, Hypothesis hypothesis, float length_penalty) {
  const auto length = static_cast<float>(std::max<std::size_t>(1, hypothesis.token_scores.size()));
  hypothesis.score = hypothesis.log_probability / std::pow(length, length_penalty);
  sentence.finished.push_back(std::move(hypothesis));
}

Hypothesis extended(const Hypothesis& parent, const Candidate& candidate, bool ends) {
  Hypothesis longer = parent;
  longer.log_probability = candidate.log_probability;
  longer.token_scores.push_back(candidate.token_score);
  if (!ends) longer.ids.push_back(candidate.token);
  return longer;
}

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

// The best continuations of a sentence's hypotheses, best first, without those of probability 0.
std::vector<Candidate> candidates(const Sentence& sentence, const Scorer& scorer,
                                  const BestTokens& best) {
  std::vector<Candidate> all;
  for (std::size_t h = 0; h < sentence.live.size(); ++h) {
    const Live& live = sentence.live[h];
    const Tensor& scores = best.log_probabilities;
    require_probabilities(scores.row(live.row)[0]);
    for (std::int64_t i = 0; i < scores.cols(); ++i) {
      const float score = scores.row(live.row)[i];
      if (std::isinf(score)) break;
      const std::int32_t token =
          scorer.token(live.row, best.columns.row<std::int32_t>(live.row)[i]);
      if (std::find(live.repeating.begin(), live.repeating.end(), token) != live.repeating.end())
        continue;
      all.push_back(
          {live.so_far.log_probability + score, score, static_cast<std::int32_t>(h), token});
    }
  }
  std::stable_sort(all.begin(), all.end(), [](const Candidate& a, const Candidate& b) {
    return a.log_probability > b.log_probability;
  });
  return all;
}

// Advances a sentence by one token. An end counts if it is among the beam_size best candidates; the
// best beam_size others stay active.
void advance(Sentence& sentence, const std::vector<Candidate>& best, std::int32_t eos,
             const BeamSearchOptions& options) {
  const auto beam = static_cast<std::size_t>(options.beam_size);
  const auto length = static_cast<std::int64_t>(sentence.live.front().so_far.ids.size());
  std::vector<Live> next;
  for (std::size_t rank = 0; rank < best.size() && next.size() < beam; ++rank) {
    const Candidate& candidate = best[rank];
    const Live& parent = sentence.live[static_cast<std::size_t>(candidate.parent)];
    if (candidate.token == eos) {
      if (rank < beam && length >= options.min_length)
        finish(sentence, extended(parent.so_far, candidate, true), options.length_penalty);
    } else {
      next.push_back({extended(parent.so_far, candidate, false), parent.row});
    }
  }
  const bool dead_end =
      next.empty() &&
      sentence.finished.empty();  // only an end is possible, and min_length forbids it
  if (!dead_end) sentence.live = std::move(next);
  if ((dead_end || length + 1 >= sentence.longest) &&
      sentence.finished.size() < beam) {  // active hypotheses are truncated here
    for (Live& live : sentence.live) {
      live.so_far.complete = false;
      finish(sentence, std::move(live.so_far), options.length_penalty);
    }
    sentence.live.clear();
  }
  if (sentence.finished.size() >= beam) sentence.live.clear();
}

std::vector<Hypothesis> n_best(Sentence& sentence, int n) {
  // Finished before truncated; then by score.
  std::stable_sort(sentence.finished.begin(), sentence.finished.end(),
                   [](const Hypothesis& a, const Hypothesis& b) {
                     return a.complete != b.complete ? a.complete : a.score > b.score;
                   });
  if (sentence.finished.size() > static_cast<std::size_t>(n))
    sentence.finished.resize(static_cast<std::size_t>(n));
  return std::move(sentence.finished);
}

}  // namespace

std::vector<std::vector<Hypothesis>> beam_search(Scorer& scorer, std::int32_t eos,
                                                 const BeamSearchOptions& options) {
  check(options);
  std::vector<Sentence> sentences(static_cast<std::size_t>(scorer.sentences()));
  for (std::size_t s = 0; s < sentences.size(); ++s) {
    sentences[s].live.push_back({{}, static_cast<std::int32_t>(s)});
    sentences[s].longest = options.max_length > 0 ? options.max_length
                                                  : scorer.max_length(static_cast<std::int64_t>(s));
  }

  std::vector<std::int32_t> parents, tokens;
  for (;;) {
    parents.clear();
    tokens.clear();
    int most_repeating = 0;
    for (std::size_t s = 0; s < sentences.size(); ++s) {
      for (Live& live : sentences[s].live) {
        parents.push_back(live.row);
        tokens.push_back(live.so_far.ids.empty() ? scorer.first_token(static_cast<std::int64_t>(s))
                                                 : live.so_far.ids.back());
        live.row = static_cast<std::int32_t>(parents.size()) - 1;
        if (options.no_repeat_ngram == 0) continue;
        std::vector<std::int32_t> written{scorer.first_token(static_cast<std::int64_t>(s))};
        written.insert(written.end(), live.so_far.ids.begin(), live.so_far.ids.end());
        live.repeating = repeating_tokens(written, options.no_repeat_ngram);
        most_repeating = std::max(most_repeating, static_cast<int>(live.repeating.size()));
      }
    }
    if (parents.empty()) break;

    scorer.step(parents, tokens);
    const BestTokens best =
        scorer.best(std::ssize(parents), options.beam_size + 1 + most_repeating);
    for (Sentence& sentence : sentences) {
      if (!sentence.live.empty())
        advance(sentence, candidates(sentence, scorer, best), eos, options);
    }
  }

  std::vector<std::vector<Hypothesis>> results;
  results.reserve(sentences.size());
  for (Sentence& sentence : sentences) results.push_back(n_best(sentence, options.n_best));
  return results;
}

}  // namespace attend
