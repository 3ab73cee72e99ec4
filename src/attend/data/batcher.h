// Batches of sentence pairs for training and validation.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>

#include "attend/data/batch.h"
#include "attend/data/batch_plan.h"
#include "attend/data/corpus.h"

namespace attend {

// The pairs of an epoch: a function of the epoch.
class PairSource {
 public:
  virtual ~PairSource() = default;
  // May be called from several threads at once.
  virtual std::shared_ptr<const EncodedPairs> pairs(std::int64_t epoch) const = 0;
};

// A batch is a function of (pairs, options, seed, epoch, index) and of nothing else, so a run that
// stops in the middle of an epoch goes on from (epoch, index). Every pair is in exactly one batch
// of an epoch. All const functions may be called from several threads at once.
//
// There is no padding, so pairs need not be sorted by length: an epoch is one shuffle of all pairs,
// cut where batch_tokens is reached. A pair counts as many tokens as its longer side, eos included,
// so neither side of a batch has more than batch_tokens (unless one pair alone does).
class TranslationBatcher {
 public:
  // src, tgt: of the two vocabularies. Without a seed the pairs keep their order: for validation.
  // Throws ConfigError for bad options, DataError when there are no pairs.
  TranslationBatcher(EncodedPairs pairs, const SpecialTokens& src, const SpecialTokens& tgt,
                     const BatchOptions& options, std::optional<std::uint64_t> seed);
  // With other ids for the same pairs in every epoch.
  TranslationBatcher(std::shared_ptr<const PairSource> source, const SpecialTokens& src,
                     const SpecialTokens& tgt, const BatchOptions& options,
                     std::optional<std::uint64_t> seed);

  std::int64_t pairs() const { return source_->pairs(0)->src.sequences(); }
  std::int64_t batches(std::int64_t epoch) const;
  // Throws DataError unless 0 <= index < batches(epoch).
  TranslationBatch batch(std::int64_t epoch, std::int64_t index) const;

  struct Size {
    std::int64_t pairs = 0;
    std::int64_t src_tokens = 0;  // with eos
    std::int64_t tgt_tokens = 0;  // with eos: what losses are averaged over
  };
  // Of batch(epoch, index), without making it.
  Size size(std::int64_t epoch, std::int64_t index) const;

 private:
  std::shared_ptr<const PairSource> source_;
  SpecialTokens src_;
  SpecialTokens tgt_;
  BatchPlanner planner_;
};

}  // namespace attend
