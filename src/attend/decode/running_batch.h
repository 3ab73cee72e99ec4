// Sentences that are decoded together. They join at any step and leave when done.
//
// Each has a search of its own, with its own options. Its result is the same, bit for bit, whatever
// is beside it and whenever it joins.
#pragma once

#include <cstddef>
#include <cstdint>
#include <exception>
#include <functional>
#include <utility>
#include <variant>
#include <vector>

#include "attend/decode/beam_search.h"
#include "attend/decode/sampling.h"
#include "attend/decode/scorers/scorer.h"

namespace attend {

// What became of one of several things that run together, which have numbers.
template <class Result>
struct Outcome {
  std::size_t number = 0;
  Result result = {};
  std::exception_ptr error = nullptr;  // or why there is no result
};

class RunningBatch {
 public:
  using Search = std::variant<BeamSearch, Sampling>;
  using Decoded = Outcome<std::vector<Hypothesis>>;
  // The search for a sentence, which has this number.
  using MakeSearch = std::function<Search(const DecodeRequest& arrival, std::size_t sentence)>;

  // The scorer must outlive the batch, which alone advances it.
  explicit RunningBatch(Scorer& scorer) : scorer_(scorer) {}

  // The sentences that have joined the scorer join the batch, with consecutive numbers from
  // `first`. If `make` throws for one, that is its outcome.
  void join(std::size_t first, const MakeSearch& make);
  // A sentence leaves without an outcome. Numbers that are not in the batch are ignored.
  void leave(std::size_t sentence);

  bool empty() const { return searches_.empty() && samplings_.empty() && failed_.empty(); }

  // Sentences read their prefixes, some tokens at a time, and then advance by one token. Returns
  // those that are done. Errors of the scorer are thrown, and end the batch.
  std::vector<Decoded> step();

  // Calls visit(sentence, samples so far) for all sentences that are sampled.
  template <class Visit>
  void for_samples(const Visit& visit) const {
    for (const auto& sentence : samplings_) visit(sentence.number, sentence.search.samples());
  }

 private:
  template <class OneSearch>
  struct Sentence {
    std::size_t number;
    OneSearch search;
    std::vector<std::int32_t> unread;  // the prefix but its last token, which the search gives
    std::int64_t begin = 0, end = 0;   // its rows in the last step
    bool reading = true;               // whether these have more to read

    bool writes() const { return !reading; }
  };
  // The rows of the next step.
  struct Plan;

  template <class OneSearch>
  void plan(std::vector<Sentence<OneSearch>>& sentences, Plan& plan);
  void search(std::vector<Decoded>& done);
  void draw(std::int64_t begin, std::vector<Decoded>& done);
  std::vector<DrawnToken> drawn(std::int64_t begin);
  template <class OneSearch, class Advance>
  void advance(std::vector<Sentence<OneSearch>>& sentences, const Advance& advance,
               std::vector<Decoded>& done);

  Scorer& scorer_;
  std::vector<Sentence<BeamSearch>> searches_;  // their rows come first
  std::vector<Sentence<Sampling>> samplings_;
  std::vector<Decoded> failed_;  // when they joined
  std::int64_t rows_ = 0;        // of the last step, and of those that have joined since
};

// Decodes all sentences that have joined the scorer to their end. -> the results of each. Throws
// the error of the first that has one.
std::vector<std::vector<Hypothesis>> decode_all(Scorer& scorer,
                                                const RunningBatch::MakeSearch& make);

}  // namespace attend
