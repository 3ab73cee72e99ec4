// Muon (Jordan et al. 2024): the matrix of a layer moves by the orthogonal matrix nearest to its
// momentum, so that all directions of the momentum count equally. Updates have the size of Adam's
// (Liu et al. 2025, "Muon is scalable for LLM training"), so learning rates are comparable. Adam
// updates all other parameters: biases, gains, embeddings and projections to a vocabulary; clipping
// and weight decay are its options. Last layers of classes count as layers (docs/training.md).
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "attend/backend/precision.h"
#include "attend/core/options/options.h"
#include "attend/optim/adam.h"

namespace attend {

struct MuonOptions {
  float momentum = 0.95f;
};

template <class Visitor>
void fields(MuonOptions& o, Visitor&& visit) {
  visit("muon-momentum", o.momentum, below_one(), "decay of Muon's mean of the gradient");
}

// What an optimizer is told besides its own options.
struct MuonSetting {
  Precision products = Precision::f32;  // the GEMM precision of orthogonalization
  float layer_decay = 1.0f;
  Shard shard = {};  // of the matrices by their cost, and of all other parameters
};

class Muon final : public Optimizer {
 public:
  // `parameters` (allocated, trainable) must outlive the optimizer. Throws ConfigError.
  Muon(ParameterSet& parameters, const MuonOptions& options, const AdamOptions& rest,
       const MuonSetting& setting = {});

  DeviceScalar step(float learning_rate) override;
  // The orthogonal matrices, nearly all of the work, are shared out by their cost.
  void share_steps(Collective& processes) override;
  std::vector<ParameterRange> updated() const override;
  std::vector<std::pair<std::string_view, Tensor>> state() const override;
  std::int64_t steps() const override { return rest_.steps(); }
  void set_steps(std::int64_t steps) override { rest_.set_steps(steps); }

 private:
  struct Matrix {
    std::int64_t offset;    // in the parameters
    std::int64_t momentum;  // in the momentum buffer
    Shape shape;
    float learning_rate;  // a factor
  };
  std::vector<std::size_t> cut_by_cost(int parts) const;
  void advance_momentum(const Matrix& matrix, const DeviceScalar& gradient_scale) const;
  Tensor direction(const Matrix& matrix, const DeviceScalar& gradient_scale) const;
  void move(const Matrix& matrix, float base_rate, const Tensor& direction) const;
  void step_shared(float base_rate, const DeviceScalar& gradient_scale) const;

  ParameterSet& parameters_;
  MuonOptions options_;
  AdamOptions adam_options_;
  Precision products_;
  std::vector<Matrix> matrices_;
  Tensor momentum_;  // of all matrices, concatenated
  Adam rest_;

  // The steps of several processes.
  struct Sharing {
    Collective& processes;
    Tensor directions;                 // of all matrices, where their momentum is
    std::vector<std::int64_t> begins;  // of each process's part of them
  };
  std::optional<Sharing> sharing_;
};

// U V^T of x = U S V^T [M, N], approximately: singular values near 1, except those far below the
// largest. Zeros stay zeros.
Tensor newton_schulz(const Tensor& x, Precision products = Precision::f32);

}  // namespace attend
