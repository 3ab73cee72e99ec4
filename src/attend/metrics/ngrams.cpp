#include "attend/metrics/ngrams.h"

#include <algorithm>

namespace attend {

namespace {

std::uint64_t key_of(std::uint32_t prefix, std::uint32_t symbol) {
  return (std::uint64_t{prefix} << 32) | symbol;
}

}  // namespace

void NgramTable::clear() {
  size_ = 1;
  if (++generation_ == 0) {  // wrapped around: very old stamps would look fresh
    std::fill(slots_.begin(), slots_.end(), Slot{});
    generation_ = 1;
  }
}

std::size_t NgramTable::place(std::uint64_t key) const {
  const std::uint64_t mask = slots_.size() - 1;
  // Fibonacci hashing; its high bits are good.
  std::uint64_t at = key * 0x9E3779B97F4A7C15u;
  at = (at >> 32) & mask;
  while (slots_[at].generation == generation_ && slots_[at].key != key) at = (at + 1) & mask;
  return at;
}

std::uint32_t NgramTable::insert(std::uint32_t prefix, std::uint32_t symbol) {
  if (size_ * 2 > slots_.size()) grow();
  const std::uint64_t key = key_of(prefix, symbol);
  Slot& slot = slots_[place(key)];
  if (slot.generation != generation_)
    slot = {key, generation_, static_cast<std::uint32_t>(size_++)};
  return slot.ngram;
}

std::uint32_t NgramTable::find(std::uint32_t prefix, std::uint32_t symbol) const {
  const Slot& slot = slots_[place(key_of(prefix, symbol))];
  return slot.generation == generation_ ? slot.ngram : 0;
}

void NgramTable::grow() {
  std::vector<Slot> old(slots_.size() * 2);
  old.swap(slots_);
  for (const Slot& slot : old)
    if (slot.generation == generation_) slots_[place(slot.key)] = slot;
}

NgramMatcher::NgramMatcher(int max_order) : max_order_(max_order), ngrams_(1) {
  require_in_range("max-ngram-order", max_order, kNgramOrders);
}

void NgramMatcher::clear() {
  table_.clear();
  ngrams_.resize(1);
}

void NgramMatcher::add_reference(std::span<const std::uint32_t> symbols) {
  touched_.clear();
  for (std::size_t i = 0; i < symbols.size(); ++i) {
    std::uint32_t ngram = 0;
    const std::size_t end = std::min(symbols.size(), i + static_cast<std::size_t>(max_order_));
    for (std::size_t j = i; j < end; ++j) {
      ngram = table_.insert(ngram, symbols[j]);
      if (ngram == ngrams_.size()) ngrams_.emplace_back();
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
      ngram = table_.find(ngram, hypothesis[j]);
      if (ngram == 0) break;  // in no reference, so nothing longer matches
      Ngram& entry = ngrams_[ngram];
      if (entry.count == 0) touched_.push_back(ngram);
      if (entry.count++ < entry.clip) ++matches[j - i];
    }
  }
  for (const std::uint32_t ngram : touched_) ngrams_[ngram].count = 0;
}

}  // namespace attend
