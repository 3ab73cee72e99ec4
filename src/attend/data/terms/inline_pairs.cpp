#include "attend/data/terms/inline_pairs.h"

#include <fmt/format.h>

#include <cstddef>
#include <utility>

#include "attend/core/random/random.h"

namespace attend {

InlinePairs::InlinePairs(EncodedPairs pairs, std::vector<std::vector<InlineTerm>> terms,
                         std::vector<std::int64_t> sentence_tokens, const Options& options)
    : pairs_(std::move(pairs)),
      terms_(std::move(terms)),
      sentence_tokens_(std::move(sentence_tokens)),
      options_(options) {}

std::shared_ptr<const EncodedPairs> InlinePairs::pairs(std::int64_t epoch) const {
  const std::lock_guard lock(mutex_);
  if (latest_epoch_ != epoch) latest_ = with_terms_of(epoch);
  latest_epoch_ = epoch;
  return latest_;
}

std::shared_ptr<const EncodedPairs> InlinePairs::with_terms_of(std::int64_t epoch) const {
  const std::uint64_t stream = stream_of(fmt::format("inline_terms.epoch.{}", epoch));
  EncodedPairs read{{}, pairs_.tgt, pairs_.origin};
  RaggedBuilder sources;
  for (std::int64_t i = 0; i < size(); ++i) {
    const auto own = static_cast<std::size_t>(i);
    const auto source = pairs_.src[i];
    Random random(RandomKey{options_.seed, stream + static_cast<std::uint64_t>(i)});
    std::vector<InlineTerm> terms;
    if (!terms_[own].empty() && random.uniform() < options_.share)
      for (const InlineTerm& term : terms_[own])
        if (random.uniform() < 0.5f) {
          terms.push_back(term);
          terms.back().before += source.size() - static_cast<std::size_t>(sentence_tokens_[own]);
        }
    const std::vector<std::int32_t> ids = with_terms(source, terms).ids;
    const bool is_too_long = options_.longest > 0 && std::ssize(ids) >= options_.longest;
    sources.add(is_too_long ? source : std::span<const std::int32_t>(ids));
  }
  read.src = sources.build();
  return std::make_shared<const EncodedPairs>(std::move(read));
}

}  // namespace attend
