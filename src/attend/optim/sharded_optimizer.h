// An optimizer whose state is spread over processes (ZeRO-1: Rajbhandari et al. 2020, "ZeRO: Memory
// Optimizations Toward Training Trillion Parameter Models").
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "attend/optim/optimizer.h"

namespace attend {

// Each process updates its part of the parameters, for which alone it has a state, and they
// exchange the new values. The parameters have the bits of an optimizer of everything.
class ShardedOptimizer final : public Optimizer {
 public:
  // `own` updates the share of this process. All processes construct it at once, with equal
  // parameters, which must outlive it, as must `processes`.
  ShardedOptimizer(ParameterSet& parameters, std::unique_ptr<Optimizer> own, Collective& processes);

  // Leaves other values in the gradients: their buffer carries the parameters. With R processes and
  // P trained parameters, each sends P (R - 1) / R elements.
  DeviceScalar step(float learning_rate) override;
  std::vector<ParameterRange> updated() const override;
  // Returns the part of this process.
  std::vector<std::pair<std::string_view, Tensor>> state() const override { return own_->state(); }
  std::int64_t steps() const override { return own_->steps(); }
  void set_steps(std::int64_t steps) override { own_->set_steps(steps); }

 private:
  // Parameters that one process updates, and where they are in the buffer of the exchange.
  struct Part {
    ParameterRange range;
    std::int64_t place = 0;
    int owner = 0;
  };
  Tensor values(const Part& part) const;
  Tensor exchanged(const Part& part) const;

  ParameterSet& parameters_;
  std::unique_ptr<Optimizer> own_;
  Collective& processes_;
  std::vector<Part> parts_;           // by owner
  std::vector<std::int64_t> begins_;  // of each owner's places, and their end
};

}  // namespace attend
