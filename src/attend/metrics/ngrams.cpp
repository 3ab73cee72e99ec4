#include "attend/metrics/ngrams.h"

#include <algorithm>

namespace attend {

NgramMatcher::NgramMatcher(int max_order) : max_order_(max_order), slots_(1024), ngrams_(1) {
  require_in_range("max-ngram-order", max_order, kNgramOrders);
}

void NgramMatcher::clear() {
  ngrams_.resize(1);
  if (++generation_ == 0) {  // wrapped around: very old stamps would look fresh
    std::fill(slots_.begin(), slots_.end(), Slot{});
    generation_ = 1;
  }
}

NgramMatcher::Slot& NgramMatcher::find(std::uint32_t prefix, std::uint32_t symbol) {
  const std::uint64_t key = (std::uint64_t{prefix} << 32) | symbol;
  const std::uint64_t mask = slots_.size() - 1;
  // Fibonacci hashing; its high bits are good.
  std::uint64_t at = key * 0x9E3779B97F4A7C15u;
  at = (at >> 32) & mask;
  while (slots_[at].generation == generation_ && slots_[at].key != key) at = (at + 1) & mask;
  return slots_[at];
}

std::uint32_t NgramMatcher::insert(std::uint32_t prefix, std::uint32_t symbol) {
  if (ngrams_.size() * 2 > slots_.size()) grow();
  Slot& slot = find(prefix, symbol);
  if (slot.generation != generation_) {
    slot = {(std::uint64_t{prefix} << 32) | symbol, generation_,
            static_cast<std::uint32_t>(ngrams_.size())};
    ngrams_.emplace_back();
  }
  return slot.ngram;
}

void NgramMatcher::grow() {
  std::vector<Slot> old(slots_.size() * 2);
  old.swap(slots_);
  for (const Slot& slot : old) {
    if (slot.generation == generation_)
      find(static_cast<std::uint32_t>(slot.key >> 32), static_cast<std::uint32_t>(slot.key)) = slot;
  }
}

void NgramMatcher::add_reference(std::span<const std::uint32_t> symbols) {
  touched_.clear();
  for (std::size_t i = 0; i < symbols.size(); ++i) {
    std::uint32_t ngram = 0;
    const std::size_t end = std::min(symbols.size(), i + static_cast<std::size_t>(max_order_));
    for (std::size_t j = i; j < end; ++j) {
      ngram = insert(ngram, symbols[j]);
      if (ngrams_[ngram].count++ == 0) touched_.push_back(ngram);
    }
  }
  for (const std::uint32_t ngram : touched_) {
    ngrams_[ngram].clip = std::max(ngrams_[ngram].clip, ngrams_[ngram].count);
    ngrams_[ngram].count = 0;
  }
}

void NgramMatcher::count_matches(std::span<const std::uint32_t> hypothesis,
                                 std::span<std::int64_t> matches) {
  std::fill(matches.begin(), matches.end(), 0);
  touched_.clear();
  for (std::size_t i = 0; i < hypothesis.size(); ++i) {
    std::uint32_t ngram = 0;
    const std::size_t end = std::min(hypothesis.size(), i + static_cast<std::size_t>(max_order_));
    for (std::size_t j = i; j < end; ++j) {
      const Slot& slot = find(ngram, hypothesis[j]);
      if (slot.generation != generation_) break;  // in no reference, so nothing longer matches
      ngram = slot.ngram;
      Ngram& entry = ngrams_[ngram];
      if (entry.count == 0) touched_.push_back(ngram);
      if (entry.count++ < entry.clip) ++matches[j - i];
    }
  }
  for (const std::uint32_t ngram : touched_) ngrams_[ngram].count = 0;
}

}  // namespace attend
