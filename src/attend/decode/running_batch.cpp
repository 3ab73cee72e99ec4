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

// How the token of a row is drawn.
struct RowToDraw {
  float uniform;
  TokenFilter filter;
  int likeliest;  // how many of the most likely tokens to report
};

// A column of each row, drawn from log-probabilities; -1 for a row without any. Adjacent rows with
// the same filter are drawn together.
std::vector<std::int32_t> drawn_columns(const Tensor& log_probabilities,
                                        std::span<const RowToDraw> rows) {
  std::vector<float> uniform;
  for (const RowToDraw& row : rows) uniform.push_back(row.uniform);
  const Tensor columns = Tensor::empty({std::ssize(rows)}, DType::i32),
               numbers = Tensor::from(uniform, {std::ssize(rows)});
  for (std::size_t begin = 0, end = 0; begin < rows.size(); begin = end) {
    const TokenFilter& filter = rows[begin].filter;
    while (end < rows.size() && same_filter(filter, rows[end].filter)) ++end;
    const auto first = static_cast<std::int64_t>(begin), last = static_cast<std::int64_t>(end);
    backend()->sample(log_probabilities.slice_rows(first, last), filter,
                      numbers.slice_rows(first, last), columns.slice_rows(first, last));
  }
  const Tensor host = columns.to_host();
  return {host.data<std::int32_t>(), host.data<std::int32_t>() + host.size()};
}

// The log-probabilities of these columns, of which each row has one. Where nothing was drawn, any
// column says whether the model's probabilities are numbers.
std::vector<float> scores_of(const Tensor& log_probabilities, std::vector<std::int32_t> columns) {
  for (std::int32_t& column : columns) column = std::max(column, 0);
  const Tensor scores = Tensor::empty({log_probabilities.rows(), 1});
  backend()->gather_columns(log_probabilities, columns, std::numeric_limits<float>::quiet_NaN(),
                            scores);
  return scores.to_vector();
}

// How the logits of all rows of these sentences are changed. Those that read have one row.
template <class Sentences>
std::vector<LogitChange> changes_of(const Sentences& sentences) {
  std::vector<LogitChange> all;
  for (const auto& s : sentences) {
    std::vector<LogitChange> own =
        s.writes() ? s.search.logit_changes() : std::vector<LogitChange>(1);
    std::move(own.begin(), own.end(), std::back_inserter(all));
  }
  return all;
}

// The k most likely tokens of hypothesis `number`, whose log-probabilities are [1, columns].
std::vector<ScoredToken> likeliest_tokens(const Scorer& scorer, std::int64_t number,
                                          const Tensor& log_probabilities, int k) {
  k = static_cast<int>(std::min<std::int64_t>(k, log_probabilities.cols()));
  const BestTokens best(1, k);
  backend()->log_softmax_top_k(log_probabilities, k, best.log_probabilities, best.columns);
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
  const BestTokens best = scorer_.best(changes_of(searches_), candidates);
  advance(
      searches_, [&](auto& s) { s.search.advance(best, s.begin, scorer_); }, done);
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

// Tokens for rows [begin, rows()); those of sentences that read mean nothing.
std::vector<DrawnToken> RunningBatch::drawn(std::int64_t begin) {
  std::vector<RowToDraw> rows;
  for (auto& s : samplings_) {
    const int likeliest = s.writes() ? s.search.likeliest() : 0;
    for (const float number : s.writes() ? s.search.uniform() : std::vector<float>(1, 0.0f))
      rows.push_back({number, s.search.filter(), likeliest});
  }
  const std::vector<LogitChange> changes = changes_of(samplings_);
  std::vector<DrawnToken> all;
  for_logits(scorer_, begin, rows_, [&](std::int64_t first, const Tensor& logits) {
    const auto at = static_cast<std::size_t>(first - begin),
               count = static_cast<std::size_t>(logits.rows());
    const std::span<const RowToDraw> own = std::span(rows).subspan(at, count);
    const Tensor log_probabilities = Tensor::empty(logits.shape());
    backend()->log_softmax(logits, log_probabilities);
    const bool changed =
        change_logits(std::span(changes).subspan(at, count), first, scorer_, logits);
    if (changed) backend()->log_softmax(logits, logits);
    const std::vector<std::int32_t> columns =
        drawn_columns(changed ? logits : log_probabilities, own);
    const std::vector<float> scores = scores_of(log_probabilities, columns);
    for (std::size_t i = 0; i < count; ++i) {
      const std::int64_t row = static_cast<std::int64_t>(i), hypothesis = first + row;
      all.push_back({columns[i] < 0 ? -1 : scorer_.token(hypothesis, columns[i]), scores[i]});
      if (own[i].likeliest > 0)
        all.back().likeliest = likeliest_tokens(
            scorer_, hypothesis, log_probabilities.slice_rows(row, row + 1), own[i].likeliest);
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
