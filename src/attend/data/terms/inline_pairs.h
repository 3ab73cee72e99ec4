// Training pairs that are read with some of their terms, with others in every epoch.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

#include "attend/data/batching/batcher.h"
#include "attend/data/terms/inline_terms.h"

namespace attend {

class InlinePairs final : public PairsInMemory {
 public:
  struct Options {
    double share = 0.5;  // of the sentences, of which each term is read with one half
    std::uint64_t seed = 1;
    std::int64_t longest = 0;  // tokens of a source, end included; 0: no limit
  };
  // `terms`: those of each sentence, which is the end of its source in `pairs`: there may be
  // context before it. What they are read with is a function of (seed, epoch, index). Terms that
  // make a source too long are left out.
  InlinePairs(EncodedPairs pairs, std::vector<std::vector<InlineTerm>> terms,
              std::vector<std::int64_t> sentence_tokens, const Options& options);

  std::int64_t size() const override { return pairs_.src.sequences(); }
  // Keeps the latest epoch.
  std::shared_ptr<const EncodedPairs> pairs(std::int64_t epoch) const override;

 private:
  std::shared_ptr<const EncodedPairs> with_terms_of(std::int64_t epoch) const;

  EncodedPairs pairs_;
  std::vector<std::vector<InlineTerm>> terms_;
  std::vector<std::int64_t> sentence_tokens_;
  Options options_;

  mutable std::mutex mutex_;
  mutable std::int64_t latest_epoch_ = -1;
  mutable std::shared_ptr<const EncodedPairs> latest_;
};

}  // namespace attend
