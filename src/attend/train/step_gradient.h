// The gradient of a step, computed by one process or several with the same bits.
//
// A step has shards, and a shard has batches. The gradient of a shard is summed over its batches,
// one after another. The gradients of shards 2i and 2i + 1 are added, then those sums in pairs, and
// so on: with four shards, (g0 + g1) + (g2 + g3). Of R processes, each computes S / R neighboring
// shards, whose sum is one of this tree; collective/tree_sum.h adds up the rest. So nothing depends
// on R, and the batches, dropout masks and losses are those of one process, too. On a bf16 wire,
// every sum of this tree is one of rounded numbers, whoever computes it.
//
// Several processes add up the gradients of the last layers while the backward pass of their last
// batch is still at those before.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "attend/collective/background_sum.h"
#include "attend/collective/collective.h"
#include "attend/collective/tree_sum.h"
#include "attend/train/measured.h"
#include "attend/train/objective.h"

namespace attend {

// A batch of a step, with its number in the run, from 1: the stream of its random numbers.
struct StepBatch {
  std::int64_t epoch = 0, batch = 0;
  std::uint64_t number = 0;
};

// Throws ConfigError unless `shards` is a power of two and a multiple of the number of processes,
// which is one, too.
void require_shareable(int shards, const Collective& processes);

struct StepSharing {
  int shards = 1;
  Wire wire = Wire::f32;  // of no effect on one shard
  // Sum gradients during the backward pass. Not for one that computes activations again, whose
  // gradients are not complete when the graph has no more use of a parameter.
  bool overlap = true;
  // Gradients that are summed at once during it; fewer are summed after it.
  std::int64_t bucket = std::int64_t{1} << 20;
};

class StepGradient {
 public:
  using MakePass = std::function<Pass(std::uint64_t number)>;

  // `objective` and `processes` must outlive it. Throws ConfigError like require_shareable().
  StepGradient(Objective& objective, const StepSharing& sharing, Collective& processes,
               MakePass make_pass);
  StepGradient(const StepGradient&) = delete;
  StepGradient& operator=(const StepGradient&) = delete;

  // Sums over the batches of the step, in their order.
  struct Losses {
    Measured loss, nll;
  };
  // Leaves the gradient of the step in objective.parameters().gradients() on every process.
  // `batches`: of all processes, a multiple of the shards; losses are divided by `normalizer` in
  // the gradient. One process takes memory for log2(S) more gradients, each of R processes for
  // log2(S / R).
  Losses compute(std::span<const StepBatch> batches, double normalizer);

 private:
  struct Step {
    std::span<const StepBatch> batches;
    double normalizer = 1;
    std::vector<DeviceScalar> losses = {}, nlls = {};  // of this process's batches, in their order
  };
  void compute_shard(Step& step, int shard, const LeafDone& done);
  void compute_last_shard(Step& step, int shard);
  void add_up(std::int64_t begin, std::int64_t end) const;
  Losses losses_of(const Step& step);

  Objective& objective_;
  StepSharing sharing_;
  Collective& processes_;
  MakePass make_pass_;
  // Sums of this process's earlier shards, to which the last one is still to be added.
  std::vector<Tensor> branches_;
  std::unique_ptr<BackgroundSum> background_;  // null: gradients are summed after the backward pass
};

}  // namespace attend
