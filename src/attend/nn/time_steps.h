// A ragged batch reordered by time step for recurrent networks: the first tokens of all sequences,
// then the second tokens, and so on.
//
// Within a step, sequences are sorted longest first. Ended sequences drop out at the end, and the
// states that continue are the first rows: no padding, and no work for ended sequences.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "attend/ops/embedding.h"

namespace attend {

enum class TimeDirection {
  forward,
  backward
};  // backward: from the last token of each sequence to the first

class TimeSteps {
 public:
  // offsets B+1, increasing from 0.
  TimeSteps(std::span<const std::int32_t> offsets, TimeDirection direction);

  std::int64_t steps() const { return static_cast<std::int64_t>(begin_.size()) - 1; }
  // Step t is the rows [begin(t), begin(t + 1)): one for each sequence that continues, longest
  // first.
  std::int64_t begin(std::int64_t t) const { return begin_[static_cast<std::size_t>(t)]; }
  std::int64_t rows(std::int64_t t) const { return begin(t + 1) - begin(t); }

  const Ids& order() const { return order_; }      // row in this order -> row of the batch
  const Ids& inverse() const { return inverse_; }  // row of the batch -> row in this order
  const Ids& sequences() const {
    return sequences_;
  }  // the sequences, longest first; equal ones in batch order

 private:
  std::vector<std::int64_t> begin_;
  Ids order_, inverse_, sequences_;
};

}  // namespace attend
