#include "attend/decode/running_batch.h"

#include <algorithm>
#include <iterator>
#include <limits>
#include <utility>

#include "attend/backend/backend.h"

namespace attend {

namespace {

bool same_filter(const TokenFilter& a, const TokenFilter& b) {
  return a.temperature == b.temperature && a.top_k == b.top_k && a.top_p == b.top_p;
}

template <class Sentences>
bool any_writes(const Sentences& sentences) {
  return std::any_of(sentences.begin(), sentences.end(),
                     [](const auto& sentence) { return sentence.writes(); });
}

// The k most likely tokens of `changes.size()` hypotheses from `begin` after these changes replace
// those in `best`, which is on the host.
void replace_best(Scorer& scorer, std::int64_t begin, std::span<const LogitChange> changes,
                  const BestTokens& best) {
  for_logits(scorer, begin, begin + std::ssize(changes), [&](std::int64_t first, Tensor logits) {
    scorer.adjust(first, logits);
    change_logits(changes.subspan(static_cast<std::size_t>(first - begin),
                                  static_cast<std::size_t>(logits.rows())),
                  first, scorer, logits);
    const auto k = static_cast<int>(best.columns.cols());
    const BestTokens own(logits.rows(), k);
    const std::int64_t found = std::min<std::int64_t>(k, logits.cols());
    backend().log_softmax_top_k(logits, static_cast<int>(found),
                                own.log_probabilities.slice_columns(0, found),
                                own.columns.slice_columns(0, found));
    const BestTokens host = own.to_host();
    for (std::int64_t r = 0; r < logits.rows(); ++r) {
      std::copy_n(host.log_probabilities.row(r), k, best.log_probabilities.row(first + r));
      std::copy_n(host.columns.row<std::int32_t>(r), k, best.columns.row<std::int32_t>(first + r));
    }
  });
}

// The k most likely tokens of hypothesis `number`, whose log-probabilities are [1, columns].
std::vector<ScoredToken> likeliest_tokens(const Scorer& scorer, std::int64_t number,
                                          const Tensor& log_probabilities, int k) {
  k = static_cast<int>(std::min<std::int64_t>(k, log_probabilities.cols()));
  const BestTokens best(1, k);
  backend().log_softmax_top_k(log_probabilities, k, best.log_probabilities, best.columns);
  const BestTokens host = best.to_host();
  std::vector<ScoredToken> tokens;
  for (int i = 0; i < k; ++i)
    tokens.push_back({scorer.token(number, host.columns.row<std::int32_t>(0)[i]),
                      host.log_probabilities.row(0)[i]});
  return tokens;
}

}  // namespace

struct RunningBatch::Plan {
  std::vector<std::int32_t> parents;
  RaggedBuilder tokens;

  void add(std::int64_t parent, std::span<const std::int32_t> read, const std::int32_t* last) {
    parents.push_back(static_cast<std::int32_t>(parent));
    tokens.append(read);
    if (last != nullptr) tokens.append(*last);
    tokens.end_sequence();
  }
};

void RunningBatch::join(std::size_t first, const MakeSearch& make) {
  for (DecodeRequest& arrival : scorer_.take_arrivals()) {
    const std::int64_t row = rows_++;
    const std::size_t number = first++;
    try {
      Search search = make(arrival, number);
      arrival.prefix.pop_back();
      if (auto* beam = std::get_if<BeamSearch>(&search))
        searches_.push_back({number, std::move(*beam), std::move(arrival.prefix), row, row + 1});
      else
        samplings_.push_back({number, std::move(std::get<Sampling>(search)),
                              std::move(arrival.prefix), row, row + 1});
    } catch (...) {
      failed_.push_back({.number = number, .error = std::current_exception()});
    }
  }
}

void RunningBatch::leave(std::size_t sentence) {
  const auto is_it = [sentence](const auto& one) { return one.number == sentence; };
  std::erase_if(searches_, is_it);
  std::erase_if(samplings_, is_it);
  std::erase_if(failed_, is_it);
}

// A hypothesis alone reads the last part of its prefix and goes on in the same step; several, such
// as samples, would all have to read it.
template <class OneSearch>
void RunningBatch::plan(std::vector<Sentence<OneSearch>>& sentences, Plan& plan) {
  const auto most = static_cast<std::size_t>(scorer_.max_prefill_tokens());
  for (Sentence<OneSearch>& s : sentences) {
    const std::span<const NextToken> continuations = s.search.continuations();
    const std::size_t together = continuations.size() == 1 ? most - 1 : 0;
    const auto begin = std::ssize(plan.parents);
    s.reading = s.unread.size() > together;
    if (s.reading) {
      const std::size_t count = std::min(most, s.unread.size());
      plan.add(s.begin, std::span(s.unread).first(count), nullptr);
      s.unread.erase(s.unread.begin(), s.unread.begin() + static_cast<std::ptrdiff_t>(count));
    } else {
      for (const NextToken& next : continuations)
        plan.add(s.begin + next.parent, s.unread, &next.token);
      s.unread.clear();
    }
    s.begin = begin;
    s.end = std::ssize(plan.parents);
  }
}

std::vector<RunningBatch::Decoded> RunningBatch::step() {
  std::vector<Decoded> done = std::exchange(failed_, {});
  Plan next;
  plan(searches_, next);
  const std::int64_t searched = std::ssize(next.parents);
  plan(samplings_, next);
  if (next.parents.empty()) return done;
  rows_ = std::ssize(next.parents);
  scorer_.advance(next.parents, next.tokens.build());
  search(done);
  draw(searched, done);
  return done;
}

// Advances all sentences that write, and takes out those that are done.
template <class OneSearch, class Advance>
void RunningBatch::advance(std::vector<Sentence<OneSearch>>& sentences, const Advance& advance,
                           std::vector<Decoded>& done) {
  std::vector<Sentence<OneSearch>> left;
  left.reserve(sentences.size());
  for (Sentence<OneSearch>& s : sentences) {
    try {
      if (s.writes()) advance(s);
      if (!s.writes() || !s.search.continuations().empty())
        left.push_back(std::move(s));
      else
        done.push_back({.number = s.number, .result = s.search.take_results()});
    } catch (...) {
      done.push_back({.number = s.number, .error = std::current_exception()});
    }
  }
  sentences = std::move(left);
}

void RunningBatch::search(std::vector<Decoded>& done) {
  if (!any_writes(searches_)) return;
  int candidates = 0;
  for (const auto& s : searches_) candidates = std::max(candidates, s.search.candidates());
  const BestTokens best = best_tokens_of_searches(candidates);
  advance(
      searches_, [&](auto& s) { s.search.advance(best, s.begin, scorer_); }, done);
}

// Most sentences change no logits: the scorer has a faster way for them.
BestTokens RunningBatch::best_tokens_of_searches(int k) {
  const BestTokens best = scorer_.best(searches_.back().end, k);
  for (const auto& s : searches_) {
    if (!s.writes()) continue;
    const std::vector<LogitChange> changes = s.search.logit_changes();
    if (!changes.empty()) replace_best(scorer_, s.begin, changes, best);
  }
  return best;
}

void RunningBatch::draw(std::int64_t begin, std::vector<Decoded>& done) {
  if (!any_writes(samplings_)) return;
  const std::vector<DrawnToken> all = drawn(begin);
  advance(
      samplings_,
      [&](auto& s) {
        s.search.advance(std::span(all).subspan(static_cast<std::size_t>(s.begin - begin),
                                                static_cast<std::size_t>(s.end - s.begin)));
      },
      done);
}

std::vector<LogitChange> RunningBatch::changes_of_samplings() const {
  std::vector<LogitChange> all;
  for (const auto& s : samplings_) {
    std::vector<LogitChange> own =
        s.writes() ? s.search.logit_changes() : std::vector<LogitChange>(1);
    std::move(own.begin(), own.end(), std::back_inserter(all));
  }
  return all;
}

// Tokens for rows [begin, rows()); those of sentences that read mean nothing.
std::vector<DrawnToken> RunningBatch::drawn(std::int64_t begin) {
  std::vector<float> uniform;
  std::vector<TokenFilter> filters;
  std::vector<int> likeliest;
  for (auto& s : samplings_) {
    const std::vector<float> numbers =
        s.writes() ? s.search.uniform() : std::vector<float>(1, 0.0f);
    uniform.insert(uniform.end(), numbers.begin(), numbers.end());
    filters.resize(uniform.size(), s.search.filter());
    likeliest.resize(uniform.size(), s.writes() ? s.search.likeliest() : 0);
  }
  const std::vector<LogitChange> changes = changes_of_samplings();
  std::vector<DrawnToken> all;
  for_logits(scorer_, begin, rows_, [&](std::int64_t first, const Tensor& logits) {
    const Tensor log_probabilities = Tensor::empty(logits.shape());
    backend().log_softmax(logits, log_probabilities);
    bool adjusted = scorer_.adjust(first, logits);
    adjusted |= change_logits(std::span(changes).subspan(static_cast<std::size_t>(first - begin),
                                                         static_cast<std::size_t>(logits.rows())),
                              first, scorer_, logits);
    if (adjusted) backend().log_softmax(logits, logits);
    const Tensor& drawn_from = adjusted ? logits : log_probabilities;
    const Tensor columns = Tensor::empty({logits.rows()}, DType::i32),
                 scores = Tensor::empty({logits.rows(), 1}),
                 numbers = Tensor::from(
                     std::span(uniform).subspan(static_cast<std::size_t>(first - begin),
                                                static_cast<std::size_t>(logits.rows())),
                     {logits.rows()});
    for (std::int64_t row = 0, end = 0; row < logits.rows(); row = end) {
      const TokenFilter& filter = filters[static_cast<std::size_t>(first - begin + row)];
      while (end < logits.rows() &&
             same_filter(filter, filters[static_cast<std::size_t>(first - begin + end)]))
        ++end;
      backend().sample(drawn_from.slice_rows(row, end), filter, numbers.slice_rows(row, end),
                       columns.slice_rows(row, end));
    }
    const Tensor host = columns.to_host();
    const std::span drawn_columns(host.data<std::int32_t>(), static_cast<std::size_t>(host.size()));
    // Where nothing was drawn, any column says whether the model's probabilities are numbers.
    std::vector<std::int32_t> chosen(drawn_columns.begin(), drawn_columns.end());
    for (std::int32_t& column : chosen) column = std::max(column, 0);
    backend().gather_columns(log_probabilities, chosen, std::numeric_limits<float>::quiet_NaN(),
                             scores);
    const std::vector<float> values = scores.to_vector();
    for (std::int64_t i = 0; i < logits.rows(); ++i) {
      const std::int32_t column = drawn_columns[static_cast<std::size_t>(i)];
      all.push_back({column < 0 ? -1 : scorer_.token(first + i, column),
                     values[static_cast<std::size_t>(i)]});
      const int wanted = likeliest[static_cast<std::size_t>(first - begin + i)];
      if (wanted > 0)
        all.back().likeliest =
            likeliest_tokens(scorer_, first + i, log_probabilities.slice_rows(i, i + 1), wanted);
    }
  });
  return all;
}

std::vector<std::vector<Hypothesis>> decode_all(Scorer& scorer,
                                                const RunningBatch::MakeSearch& make) {
  RunningBatch batch(scorer);
  std::size_t sentences = 0;
  batch.join(0, [&](const DecodeRequest& arrival, std::size_t sentence) {
    sentences = sentence + 1;
    return make(arrival, sentence);
  });
  std::vector<std::vector<Hypothesis>> results(sentences);
  while (!batch.empty()) {
    for (auto& outcome : batch.step()) {
      if (outcome.error) std::rethrow_exception(outcome.error);
      results[outcome.number] = std::move(outcome.result);
    }
  }
  return results;
}

}  // namespace attend
