// The small modules: linear layer, layer normalization, embedding, position-wise feed-forward
// network.
#pragma once

#include <string>
#include <string_view>

#include "attend/nn/parameters.h"
#include "attend/nn/pass.h"
#include "attend/ops/embedding.h"
#include "attend/ops/feed_forward.h"
#include "attend/ops/layer_norm.h"

namespace attend {

// y = x W^T + b.  weight [out, in], bias [out]; x [N, in] -> [N, out].
class Linear {
 public:
  Linear(ParameterSet& parameters, const std::string& path, std::int64_t in, std::int64_t out,
         bool bias = true);
  Variable forward(const Variable& x, const Pass& pass,
                   Activation activation = Activation::none) const;
  AffineMap map() const { return {*weight_, bias_ ? *bias_ : Variable()}; }

 private:
  Parameter weight_;
  Parameter bias_;
};

// Layer normalization with a gain [D] and a shift [D]: `weight` and `bias`.
class LayerNorm {
 public:
  LayerNorm(ParameterSet& parameters, const std::string& path, std::int64_t width);
  Variable forward(const Variable& x) const;
  // LayerNorm(x + dropout(branch)), in one pass.
  Variable forward_residual(const Variable& x, const Variable& branch,
                            const Dropout& dropout) const;

 private:
  LayerNormParameters affine() const { return {*weight_, *bias_, kEpsilon}; }
  static constexpr float kEpsilon = 1e-5f;

  Parameter weight_;
  Parameter bias_;
};

// FFN(x) = activation(x W1^T + b1) W2^T + b2 (Vaswani et al. 2017, section 3.3), with dropout after
// the activation.
struct FeedForwardOptions {
  std::int64_t d_model = 512;
  std::int64_t d_ff = 2048;
  Activation activation = Activation::relu;
  float dropout = 0.0f;
};

class FeedForward {
 public:
  FeedForward(ParameterSet& parameters, const std::string& path, const FeedForwardOptions& options);
  Variable forward(const Variable& x, Pass& pass) const;  // [N, d_model] -> [N, d_model]

 private:
  Linear linear1_;
  Linear linear2_;
  Activation activation_;
  float dropout_;
};

// The residual connection around a sublayer f, with normalization and dropout (section 5.4):
//   post-norm  LayerNorm(x + dropout(f(x)))  as in the paper,
//   pre-norm   x + dropout(f(LayerNorm(x))).
class SublayerConnection {
 public:
  SublayerConnection(ParameterSet& parameters, const std::string& path, std::int64_t width,
                     float dropout, bool norm_first);

  template <class Sublayer>
  Variable forward(const Variable& x, Pass& pass, const Sublayer& sublayer) const {
    if (norm_first_) return add_residual(x, sublayer(norm_.forward(x)), pass);
    const Variable branch = sublayer(x);
    return norm_.forward_residual(x, branch, pass.dropout(dropout_));
  }

 private:
  Variable add_residual(const Variable& x, const Variable& branch, Pass& pass) const;

  LayerNorm norm_;
  float dropout_;
  bool norm_first_;
};

}  // namespace attend
