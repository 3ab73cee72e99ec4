// Muon (Jordan et al. 2024): a matrix of the model's inner products moves by the orthogonal matrix
// nearest to its momentum, so that every direction of its momentum counts the same, not the few
// largest alone. Steps have the size that Adam's have (Liu et al. 2025, "Muon is scalable for LLM
// training"), so the learning rate means the same. What is no such matrix is Adam's: biases, gains,
// tables and the projection to the vocabulary; clipping and weight decay are its options, too.
#pragma once

#include "attend/backend/precision.h"
#include "attend/core/options.h"
#include "attend/optim/adam.h"

namespace attend {

struct MuonOptions {
  float momentum = 0.95f;
};

template <class Visitor>
void fields(MuonOptions& o, Visitor&& visit) {
  visit("muon-momentum", o.momentum, below_one(), "decay of Muon's mean of the gradient");
}

class Muon final : public Optimizer {
 public:
  // `parameters` (allocated, trainable) must outlive the optimizer. `products`: the precision of
  // those that make a matrix orthogonal. Throws ConfigError.
  Muon(ParameterSet& parameters, const MuonOptions& options, const AdamOptions& rest,
       Precision products = Precision::f32);

  DeviceScalar step(float learning_rate) override;
  std::vector<std::pair<std::string_view, Tensor>> state() const override;
  std::int64_t steps() const override { return rest_.steps(); }
  void set_steps(std::int64_t steps) override { rest_.set_steps(steps); }

 private:
  struct Matrix {
    std::int64_t offset;    // in the parameters
    std::int64_t momentum;  // in the momenta
    Shape shape;
  };
  void update(const Matrix& matrix, float learning_rate, const DeviceScalar& gradient_scale) const;

  ParameterSet& parameters_;
  MuonOptions options_;
  AdamOptions adam_options_;
  Precision products_;
  std::vector<Matrix> matrices_;
  Tensor momentum_;  // of the matrices, one after the other
  Adam rest_;
};

// U V^T of x = U S V^T [M, N], nearly: its singular values lie around 1 where those of x are not
// far below the largest. Zeros stay zeros.
Tensor nearly_orthogonal(const Tensor& x, Precision products = Precision::f32);

}  // namespace attend
