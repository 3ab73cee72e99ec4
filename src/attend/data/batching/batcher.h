// Batches of sentence pairs for training and validation.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "attend/data/batching/batch.h"
#include "attend/data/batching/batch_plan.h"
#include "attend/data/corpus.h"
#include "attend/data/pair_special_tokens.h"

namespace attend {

// The pairs of an epoch: a function of the epoch. May be used from several threads at once.
class PairSource {
 public:
  virtual ~PairSource() = default;

  virtual std::int64_t size() const = 0;
  // The tokens of the longer side of every pair, with the special tokens around it.
  virtual std::vector<std::int32_t> costs(std::int64_t epoch,
                                          const PairSpecialTokens& marks) const = 0;
  // The pairs with these numbers, in this order, without origins.
  virtual EncodedPairs read(std::int64_t epoch, std::span<const std::int32_t> numbers) const = 0;
  // The tokens of these pairs on each side, without special tokens.
  struct Tokens {
    std::int64_t src = 0, tgt = 0;
  };
  virtual Tokens tokens(std::int64_t epoch, std::span<const std::int32_t> numbers) const = 0;
};

// Pairs that are all in memory.
class PairsInMemory : public PairSource {
 public:
  // All of an epoch.
  virtual std::shared_ptr<const EncodedPairs> pairs(std::int64_t epoch) const = 0;

  std::int64_t size() const override { return pairs(0)->src.sequences(); }
  std::vector<std::int32_t> costs(std::int64_t epoch,
                                  const PairSpecialTokens& marks) const override;
  EncodedPairs read(std::int64_t epoch, std::span<const std::int32_t> numbers) const override;
  Tokens tokens(std::int64_t epoch, std::span<const std::int32_t> numbers) const override;
};

// The same pairs in every epoch.
std::shared_ptr<const PairSource> pairs_in_memory(EncodedPairs pairs);

// A batch is a function of (pairs, options, seed, epoch, index) alone, so a stopped run continues
// at (epoch, index). Every pair is in exactly one batch of an epoch. All const functions may be
// called from several threads at once.
//
// Without padding, pairs need not be sorted by length: an epoch is one shuffle of all pairs, split
// whenever batch_tokens is reached. A pair counts the tokens of its longer side, special tokens
// included, so neither side of a batch exceeds batch_tokens (unless a single pair does).
class TranslationBatcher {
 public:
  // Without a seed pairs keep their order, for validation. Throws ConfigError for bad options,
  // DataError if there are no pairs.
  TranslationBatcher(EncodedPairs pairs, PairTokens tokens, const BatchOptions& options,
                     std::optional<std::uint64_t> seed);
  // The ids of a pair may differ from epoch to epoch. `samples`: the pairs of an epoch, if it does
  // not have each of them once.
  TranslationBatcher(std::shared_ptr<const PairSource> source, PairTokens tokens,
                     const BatchOptions& options, std::optional<std::uint64_t> seed,
                     BatchPlanner::Samples samples = {});

  // As BatchPlanner::limit_batches().
  void limit_batches(std::int64_t tokens) { planner_.limit_batches(tokens); }

  std::int64_t pairs() const { return source_->size(); }
  std::int64_t batches(std::int64_t epoch) const;
  // Throws DataError unless 0 <= index < batches(epoch).
  TranslationBatch batch(std::int64_t epoch, std::int64_t index) const;

  struct Size {
    std::int64_t pairs = 0;
    std::int64_t src_tokens = 0;  // with all special tokens
    std::int64_t tgt_tokens = 0;  // of tgt_out: the divisor of losses
  };
  // The size of batch(epoch, index), without making it.
  Size size(std::int64_t epoch, std::int64_t index) const;

 private:
  std::shared_ptr<const PairSource> source_;
  PairTokens tokens_;
  BatchPlanner planner_;
};

}  // namespace attend
