#include "attend/text/byte_bpe/merges.h"

#include <algorithm>
#include <array>
#include <bit>
#include <numeric>
#include <queue>

#include "attend/error.h"

namespace attend::detail {
namespace {

// Below this many symbols, scanning all of them for each merge is faster than a queue.
constexpr std::size_t kShortWord = 24;

std::uint64_t pair_of(std::int32_t left, std::int32_t right) {
  return std::uint64_t{static_cast<std::uint32_t>(left)} << 32 | static_cast<std::uint32_t>(right);
}

struct Symbol {
  std::int32_t id = 0;  // -1: has been joined to the one before
  std::int32_t previous = -1, next = -1;
};

struct Candidate {
  std::int32_t rank, left, id;
  bool operator<(const Candidate& other) const {  // a queue returns its greatest element first
    return rank != other.rank ? rank > other.rank : left > other.left;
  }
};

std::vector<Symbol> symbols_of(const std::vector<std::int32_t>& word) {
  std::vector<Symbol> symbols(word.size());
  for (std::size_t i = 0; i < word.size(); ++i) {
    const auto at = static_cast<std::int32_t>(i);
    symbols[i] = {word[i], at - 1, i + 1 < word.size() ? at + 1 : -1};
  }
  return symbols;
}

}  // namespace

Merges::Merges(std::span<const Merge> merges, MergeOrder order)
    : order_(order), table_(std::bit_ceil(std::max<std::size_t>(2 * merges.size(), 2))) {
  std::int32_t rank = 0;
  for (const Merge& merge : merges) {
    const std::uint64_t pair = pair_of(merge.left, merge.right);
    std::size_t at = place_of(pair);
    for (; table_[at].rank >= 0; at = (at + 1) & (table_.size() - 1))
      if (table_[at].pair == pair) throw DataError("two of its merges are of the same pieces");
    table_[at] = {pair, rank++, merge.id};
  }
}

std::size_t Merges::place_of(std::uint64_t pair) const {
  constexpr std::uint64_t kOdd = 0x9E3779B97F4A7C15;
  return (pair * kOdd >> 32) & (table_.size() - 1);
}

const Merges::Entry* Merges::find(std::int32_t left, std::int32_t right) const {
  const std::uint64_t pair = pair_of(left, right);
  for (std::size_t at = place_of(pair); table_[at].rank >= 0; at = (at + 1) & (table_.size() - 1))
    if (table_[at].pair == pair) return &table_[at];
  return nullptr;
}

void Merges::apply(std::vector<std::int32_t>& word, std::vector<std::size_t>* begins) const {
  if (begins != nullptr) begins->clear();
  word.size() < kShortWord ? apply_short(word, begins) : apply_long(word, begins);
}

void Merges::apply_short(std::vector<std::int32_t>& word, std::vector<std::size_t>* begins) const {
  if (begins != nullptr) {
    begins->resize(word.size());
    std::iota(begins->begin(), begins->end(), std::size_t{0});
  }
  std::array<const Entry*, kShortWord> entries{};
  for (std::size_t i = 0; i + 1 < word.size(); ++i) entries[i] = find(word[i], word[i + 1]);
  const auto join = [&](std::size_t at) {
    word[at] = entries[at]->id;
    word.erase(word.begin() + static_cast<std::ptrdiff_t>(at) + 1);
    if (begins != nullptr) begins->erase(begins->begin() + static_cast<std::ptrdiff_t>(at) + 1);
    for (std::size_t i = at + 1; i + 1 < word.size(); ++i) entries[i] = entries[i + 1];
    entries[at] = at + 1 < word.size() ? find(word[at], word[at + 1]) : nullptr;
    if (at > 0) entries[at - 1] = find(word[at - 1], word[at]);
  };
  for (;;) {
    std::size_t best = word.size();
    for (std::size_t i = 0; i + 1 < word.size(); ++i) {
      if (entries[i] != nullptr && (best == word.size() || entries[i]->rank < entries[best]->rank))
        best = i;
    }
    if (best == word.size()) return;
    const Entry* const merge = entries[best];
    join(best);
    if (order_ == MergeOrder::one_by_one) continue;
    for (std::size_t i = best + 1; i + 1 < word.size(); ++i)
      if (entries[i] == merge) join(i);
  }
}

void Merges::apply_long(std::vector<std::int32_t>& word, std::vector<std::size_t>* begins) const {
  std::vector<Symbol> symbols = symbols_of(word);
  std::priority_queue<Candidate> candidates;
  std::vector<Candidate> later;
  const auto consider = [&](std::int32_t left) {
    const Symbol& symbol = symbols[static_cast<std::size_t>(left)];
    if (symbol.next < 0) return;
    const Entry* const entry = find(symbol.id, symbols[static_cast<std::size_t>(symbol.next)].id);
    if (entry != nullptr) later.push_back({entry->rank, left, entry->id});
  };
  for (std::size_t i = 0; i < word.size(); ++i) consider(static_cast<std::int32_t>(i));
  for (std::int32_t rank = -1; !candidates.empty() || !later.empty();) {
    if (order_ == MergeOrder::one_by_one || candidates.empty() || candidates.top().rank != rank) {
      for (const Candidate& candidate : later) candidates.push(candidate);
      later.clear();
    }
    const Candidate best = candidates.top();
    candidates.pop();
    rank = best.rank;
    Symbol& left = symbols[static_cast<std::size_t>(best.left)];
    if (left.id < 0 || left.next < 0) continue;
    Symbol& right = symbols[static_cast<std::size_t>(left.next)];
    const Entry* const entry = find(left.id, right.id);
    if (entry == nullptr || entry->rank != best.rank) continue;  // one of the two has changed
    left.id = best.id;
    left.next = right.next;
    right.id = -1;
    if (left.next >= 0) symbols[static_cast<std::size_t>(left.next)].previous = best.left;
    consider(best.left);
    if (left.previous >= 0) consider(left.previous);
  }
  word.clear();
  for (std::size_t i = 0; i < symbols.size(); ++i) {
    if (symbols[i].id < 0) continue;
    word.push_back(symbols[i].id);
    if (begins != nullptr) begins->push_back(i);
  }
}

}  // namespace attend::detail
