// Adam with its moments in 8 bits, a quarter of the memory (Dettmers et al. 2022, "8-bit Optimizers
// via Block-wise Quantization"; here with small floating-point numbers that are rounded at random:
// OptionalKernels::quantize_blocks()).
#pragma once

#include "attend/backend/optional_kernels.h"
#include "attend/optim/adam.h"

namespace attend {

class Adam8Bit final : public Optimizer {
 public:
  // `parameters` (allocated, trainable) must outlive the optimizer. Throws ConfigError.
  // Updates a shard of the groups.
  Adam8Bit(ParameterSet& parameters, const AdamOptions& options,
           const std::vector<ParameterGroup>& groups, const Shard& shard = {});

  DeviceScalar step(float learning_rate) override;

  std::vector<ParameterRange> updated() const override { return ranges_of(groups_); }
  std::vector<std::pair<std::string_view, Tensor>> state() const override {
    return {{"adam8bit.mean", mean_.codes},
            {"adam8bit.mean_scales", mean_.scales},
            {"adam8bit.variance", variance_.codes},
            {"adam8bit.variance_scales", variance_.scales}};
  }
  std::int64_t steps() const override { return steps_; }
  void set_steps(std::int64_t steps) override { steps_ = steps; }

  // Bytes of the moments of this many parameters in one group.
  static std::int64_t state_bytes(std::int64_t parameters);

 private:
  // A moment of all groups, block by block.
  struct Moment {
    BlockCode kind;
    Tensor codes;   // u8
    Tensor scales;  // f32, one per block
    Tensor part;    // f32: the numbers that are updated at once
  };
  // Part of a group: its parameters, and where its codes and scales begin.
  struct Part {
    ParameterRange range;
    std::int64_t code = 0;
    std::int64_t block = 0;
  };
  void update(const AdamStep& step, const DeviceScalar& gradient_scale, const Part& part);

  ParameterSet& parameters_;
  AdamOptions options_;
  std::vector<ParameterGroup> groups_;
  std::int64_t first_block_ = 0;  // the blocks of earlier shards
  Moment mean_{.kind = BlockCode::signed_numbers, .codes = {}, .scales = {}, .part = {}};
  Moment variance_{.kind = BlockCode::positive_numbers, .codes = {}, .scales = {}, .part = {}};
  std::int64_t steps_ = 0;
};

}  // namespace attend
