// Counts n-grams without storing their text. An n-gram is the pair (the n-gram without its last
// symbol, its last symbol). Pairs are numbered as they appear, so each n-gram of any order is one
// lookup of a 64-bit key, and n-grams never collide.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "attend/core/options/number_range.h"

namespace attend {

// Each order has its own counts in every segment.
inline constexpr NumberRange kNgramOrders = between(1, 100);

// Numbers n-grams. The empty one is 0.
class NgramTable {
 public:
  NgramTable() : slots_(1024) {}

  // n-grams so far, with the empty one.
  std::size_t size() const { return size_; }
  void clear();
  // The number of an n-gram with one more symbol.
  std::uint32_t insert(std::uint32_t prefix, std::uint32_t symbol);
  // The same, or 0 if there is none.
  std::uint32_t find(std::uint32_t prefix, std::uint32_t symbol) const;

 private:
  struct Slot {
    std::uint64_t key = 0;
    std::uint32_t generation = 0;
    std::uint32_t ngram = 0;
  };

  // The slot of (prefix, symbol), or the empty slot for it.
  std::size_t place(std::uint64_t key) const;
  void grow();

  std::uint32_t generation_ = 1;
  std::size_t size_ = 1;
  std::vector<Slot> slots_;  // open addressing, a power of two, at most half full
};

// Clipped matches between a hypothesis and its references (Papineni et al. 2002, section 2.1).
// Reusable across segments.
class NgramMatcher {
 public:
  // Orders 1 .. max_order. Throws ConfigError unless max_order is in kNgramOrders.
  explicit NgramMatcher(int max_order);

  int max_order() const { return max_order_; }

  // Forgets the references.
  void clear();
  // Adds a reference. An n-gram may match as often as it occurs in the reference that contains it
  // most.
  void add_reference(std::span<const std::uint32_t> symbols);
  // matches[n-1] = sum over the n-grams of the hypothesis of min(count, clip), for n = 1 ..
  // max_order.
  void count_matches(std::span<const std::uint32_t> hypothesis, std::span<std::int64_t> matches);

 private:
  struct Ngram {
    std::uint32_t count = 0;  // in the current text
    std::uint32_t clip = 0;   // maximum over the references
  };

  int max_order_;
  NgramTable table_;
  std::vector<Ngram> ngrams_;  // by number
  std::vector<std::uint32_t> touched_;
};

// n-grams of order n in a text of `length` symbols.
constexpr std::int64_t ngrams_in(std::int64_t length, int n) {
  return length >= n ? length - n + 1 : 0;
}

}  // namespace attend
