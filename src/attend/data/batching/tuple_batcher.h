// Batches of texts that belong together, for losses that tell each positive apart from the other
// texts of its batch.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

#include "attend/data/batching/batch_plan.h"
#include "attend/data/related_texts.h"
#include "attend/nn/ragged.h"

namespace attend {

// The texts of B tuples, by their numbers.
struct TupleBatch {
  // B anchors, then C candidates: B positives, and B negatives of triplets.
  std::vector<std::int32_t> texts;
  std::int64_t tuples = 0;  // B
  // [B, C]: 1 where an in-batch candidate must not count as a negative: it belongs to the anchor,
  // too, or is the same text. Empty if there is none.
  std::vector<char> ignored;

  std::int64_t candidates() const { return static_cast<std::int64_t>(texts.size()) - tuples; }
};

// A batch is a function of (texts, options, seed, epoch, index). Every tuple is in exactly one
// batch of an epoch. Labeled texts are paired differently in every epoch: with an even number of
// texts of a label, each is in one pair; the one left over meets the first of its label, and a text
// that is alone with its label is in none. A text that occurs with several labels belongs to the
// texts of each. Const functions may be called from several threads at once.
class TupleBatcher {
 public:
  // `texts`: the tokens of related.texts. Without a seed tuples keep their order, and
  // labeled texts make the first pair of every label, then the second, and so on. Throws
  // ConfigError for bad options.
  TupleBatcher(Ragged texts, const RelatedTexts& related, const BatchOptions& options,
               std::optional<std::uint64_t> seed);
  // As BatchPlanner::limit_batches().
  void limit_batches(std::int64_t tokens) { planner_.limit_batches(tokens); }

  std::int64_t batches(std::int64_t epoch) const { return planner_.plan(epoch)->batches(); }
  // Throws DataError unless 0 <= index < batches(epoch).
  TupleBatch batch(std::int64_t epoch, std::int64_t index) const;
  // The tokens of the texts of a batch.
  Ragged tokens_of(const TupleBatch& batch) const;

  struct Size {
    std::int64_t tuples = 0;
    std::int64_t tokens = 0;
  };
  Size size(std::int64_t epoch, std::int64_t index) const;

  // Whether a batch of the first epoch holds a wrong answer to some anchor: otherwise its losses
  // are zero.
  bool has_wrong_answers() const;

  // Counts the tuples of an epoch.
  std::int64_t tuples() const { return std::ssize(*tuples_of(0)); }
  const Ragged& texts() const { return *texts_; }

 private:
  using Tuples = std::vector<TextTuple>;
  // Finds tuples of an epoch; keeps the latest.
  struct Source {
    std::vector<std::vector<std::int32_t>> groups;  // the texts of each label
    std::optional<std::uint64_t> seed;
    std::mutex mutex;
    std::int64_t epoch = -1;
    std::shared_ptr<const Tuples> tuples;  // those of `epoch`; of pairs and triplets, of all

    std::shared_ptr<const Tuples> of(std::int64_t wanted);
  };

  std::shared_ptr<const Tuples> tuples_of(std::int64_t epoch) const { return source_->of(epoch); }
  bool are_related(const TextTuple& tuple, std::int32_t candidate) const;
  std::size_t first_equal(std::int32_t text) const {
    return static_cast<std::size_t>(first_equal_[static_cast<std::size_t>(text)]);
  }

  std::shared_ptr<const Ragged> texts_;
  // Labeled texts have RelatedTexts::first_equal(), and all labels of each of those first, sorted.
  std::vector<std::int32_t> first_equal_;
  std::vector<std::vector<std::int32_t>> labels_;
  // Pairs and triplets have the positives of each anchor, sorted.
  std::vector<std::vector<std::int32_t>> positives_;
  std::shared_ptr<Source> source_;
  BatchPlanner planner_;
};

}  // namespace attend
