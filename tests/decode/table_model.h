// A Scorer of a few tokens whose logits, before they are normalized, are any function of the
// sentence and the tokens so far.
#pragma once

#include <functional>
#include <numeric>
#include <vector>

#include "attend/core/random/random.h"
#include "attend/decode/beam_search.h"

namespace attend {

class TableModel final : public Scorer {
 public:
  using Prefix = std::vector<std::int32_t>;  // without bos
  using Logits = std::function<std::vector<float>(int sentence, const Prefix& prefix)>;

  static constexpr std::int32_t kBos = 0, kEos = 1;

  // `sentences`: what Logits is told about each.
  TableModel(const std::vector<int>& sentences, std::int64_t longest, Logits logits)
      : longest_(longest), logits_(std::move(logits)) {
    for (const int sentence : sentences) join(sentence);
  }

  // `begun`: what it reads before bos; `forced`: what its output begins with.
  void join(int sentence, const Prefix& begun = {}, const Prefix& forced = {}) {
    rows_.push_back({sentence, {}, std::ssize(begun) + 1});
    DecodeRequest arrival{begun, longest_, std::ssize(forced)};
    arrival.prefix.push_back(kBos);
    arrival.prefix.insert(arrival.prefix.end(), forced.begin(), forced.end());
    arrive(std::move(arrival));
  }

  void advance(std::span<const std::int32_t> parents, const Ragged& tokens) override {
    std::vector<Row> next;
    std::vector<int> asked;
    for (std::size_t r = 0; r < parents.size(); ++r) {
      Row row = rows_.at(static_cast<std::size_t>(parents[r]));
      for (const std::int32_t token : tokens[static_cast<std::int64_t>(r)]) {
        if (row.unread > 0)
          --row.unread;
        else
          row.prefix.push_back(token);
      }
      asked.push_back(row.sentence);
      next.push_back(std::move(row));
    }
    rows_ = std::move(next);
    asked_.push_back(std::move(asked));
  }
  Tensor logits(std::int64_t begin, std::int64_t end) override {
    std::vector<float> logits;
    for (std::int64_t r = begin; r < end; ++r) {
      const Row& row = rows_[static_cast<std::size_t>(r)];
      const std::vector<float> of_row = logits_(row.sentence, row.prefix);
      logits.insert(logits.end(), of_row.begin(), of_row.end());
    }
    const std::int64_t rows = end - begin;
    return Tensor::from(logits, {rows, static_cast<std::int64_t>(logits.size()) / rows});
  }
  std::int32_t token(std::int64_t, std::int64_t column) const override {
    return static_cast<std::int32_t>(column);
  }

  // For each call of step(), the sentence of every row.
  const std::vector<std::vector<int>>& asked() const { return asked_; }

 private:
  struct Row {
    int sentence;
    Prefix prefix;
    std::int64_t unread;  // tokens that it reads before it writes
  };
  std::int64_t longest_;
  Logits logits_;
  std::vector<Row> rows_;  // of the last step, and of those that have joined since
  std::vector<std::vector<int>> asked_;
};

// Random logits for every sentence and prefix.
inline TableModel::Logits random_logits(std::uint64_t seed, int vocabulary = 4) {
  return [=](int sentence, const TableModel::Prefix& prefix) {
    std::uint64_t stream = static_cast<std::uint64_t>(sentence) + 1;
    for (const std::int32_t id : prefix) stream = stream * 31 + static_cast<std::uint64_t>(id) + 1;
    Random random({seed, stream});
    std::vector<float> logits(static_cast<std::size_t>(vocabulary));
    for (float& x : logits) x = 4 * random.uniform();
    return logits;
  };
}

// The same whatever came before.
inline TableModel::Logits constant_logits(std::vector<float> logits) {
  return [logits = std::move(logits)](int, const TableModel::Prefix&) { return logits; };
}

}  // namespace attend
