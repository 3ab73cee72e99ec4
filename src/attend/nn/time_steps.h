// A ragged batch in the order that a recurrent network goes through it: the first tokens of all
// sequences, then the second ones, ...
//
// At every step the sequences stand longest first, so those that have ended are missing at the
// back, and the states that go on are the first rows: nothing is padded, nothing is computed for
// sequences that are over.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "attend/ops/embedding.h"

namespace attend {

enum class TimeDirection {
  forward,
  backward
};  // backward: from the last token of each sequence to its first

class TimeSteps {
 public:
  // offsets B+1, rising from 0.
  TimeSteps(std::span<const std::int32_t> offsets, TimeDirection direction);

  std::int64_t steps() const { return static_cast<std::int64_t>(begin_.size()) - 1; }
  // Step t is the rows [begin(t), begin(t + 1)): one for each sequence that goes on, longest first.
  std::int64_t begin(std::int64_t t) const { return begin_[static_cast<std::size_t>(t)]; }
  std::int64_t rows(std::int64_t t) const { return begin(t + 1) - begin(t); }

  const Ids& order() const { return order_; }      // row in this order -> row of the batch
  const Ids& inverse() const { return inverse_; }  // row of the batch -> row in this order
  const Ids& sequences() const {
    return sequences_;
  }  // the sequences, longest first; equal ones as they stand in the batch

 private:
  std::vector<std::int64_t> begin_;
  Ids order_, inverse_, sequences_;
};

}  // namespace attend
