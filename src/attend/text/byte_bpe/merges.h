// Byte-pair merges, applied by rank (Sennrich et al. 2016). Private to text/.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

namespace attend::detail {

// In which order equal neighbors are joined: each time the earliest merge of all, or all pairs of
// that merge before any that this brings about, as subword-nmt does.
enum class MergeOrder { one_by_one, pair_by_pair };

class Merges {
 public:
  struct Merge {
    std::int32_t left, right, id;  // two pieces and their result
  };
  // Earliest first. Throws DataError for a duplicate pair.
  explicit Merges(std::span<const Merge> merges, MergeOrder order = MergeOrder::one_by_one);

  // Joins neighbors until no pair has a merge: earliest merge first, ties from left to right. Time:
  // n log n. `begins`: at which of the symbols each of the results begins.
  void apply(std::vector<std::int32_t>& word, std::vector<std::size_t>* begins = nullptr) const;

 private:
  struct Entry {
    std::uint64_t pair = 0;
    std::int32_t rank = -1;  // -1: an empty place
    std::int32_t id = 0;
  };
  const Entry* find(std::int32_t left, std::int32_t right) const;
  std::size_t place_of(std::uint64_t pair) const;
  void apply_short(std::vector<std::int32_t>& word, std::vector<std::size_t>* begins) const;
  void apply_long(std::vector<std::int32_t>& word, std::vector<std::size_t>* begins) const;

  MergeOrder order_;
  std::vector<Entry> table_;  // hashed by pair, with linear probing; its size is a power of two
};

}  // namespace attend::detail
