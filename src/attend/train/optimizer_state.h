// The state of an optimizer in checkpoints, which hold it whole, whoever has it: a run may be
// resumed by another number of processes.
#pragma once

#include <cstdint>
#include <vector>

#include "attend/checkpoint/state.h"
#include "attend/collective/collective.h"
#include "attend/optim/optimizer.h"

namespace attend {

class OptimizerState {
 public:
  // `processes`: each has the state of a share, by rank, and all construct this at once; null: this
  // process has all of it. Both must outlive it.
  OptimizerState(const Optimizer& optimizer, Collective* processes);

  // What each process has, by rank.
  std::vector<std::int64_t> bytes() const;

  // Adds the whole state, of which the parts of other processes are read while the checkpoint is
  // saved, a few MiB at a time. Meanwhile the others must be in answer(); they return when the
  // first calls release().
  void add_to(Checkpoint& checkpoint, std::string_view prefix) const;
  void release() const;
  void answer() const;

  // Reads the part of this process. Throws DataError unless the saved state is as large as that of
  // the optimizer.
  void restore(const StateReader& saved) const;

 private:
  // Elements of a tensor of the state.
  struct Range {
    std::int64_t tensor = 0, begin = 0, end = 0;
  };
  std::int64_t begin_of(std::size_t tensor, int rank) const;
  std::int64_t whole(std::size_t tensor) const;
  void read(const Range& range, std::span<std::byte> to) const;
  void read_from(int rank, const Range& range, std::span<std::byte> to) const;

  const Optimizer& optimizer_;
  Collective* processes_;
  int size_ = 1, rank_ = 0;
  std::vector<std::vector<std::int64_t>> begins_;  // of each tensor: of each process, and the end
};

}  // namespace attend
