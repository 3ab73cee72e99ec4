// The choice of optimizer, and its options.
#pragma once

#include <array>
#include <memory>
#include <span>
#include <string_view>

#include "attend/optim/adam.h"
#include "attend/optim/adam_8bit.h"
#include "attend/optim/muon.h"

namespace attend {

enum class OptimizerKind { adam, muon, adam8bit };
inline std::span<const std::string_view> enum_names(OptimizerKind) {
  static constexpr std::array<std::string_view, 3> kNames{"adam", "muon", "adam8bit"};
  return kNames;
}

struct OptimizerOptions {
  OptimizerKind kind = OptimizerKind::adam;
  float layer_decay = 1.0f;
  AdamOptions adam;
  MuonOptions muon;
};

template <class Visitor>
void fields(OptimizerOptions& o, Visitor&& visit) {
  visit("optimizer", o.kind,
        "adam; adam8bit (moments in 8 bits); or muon (Jordan et al. 2024: fewer steps at a higher "
        "cost each; embeddings, biases and gains stay with Adam)");
  visit("layer-decay", o.layer_decay, above(0, 1),
        "factor between the learning rates of a layer and the next lower one, down to the "
        "embeddings; 1: one rate for all");
  fields(o.adam, visit);
  fields(o.muon, visit);
}

// `parameters` (allocated, trainable) must outlive the optimizer, which updates a shard of them.
// `products`: Muon's GEMM precision. Throws ConfigError.
std::unique_ptr<Optimizer> make_optimizer(ParameterSet& parameters, const OptimizerOptions& options,
                                          Precision products = Precision::f32,
                                          const Shard& shard = {});

}  // namespace attend
