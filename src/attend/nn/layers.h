// The small modules: linear layer, layer normalization, embedding, position-wise feed-forward
// network.
#pragma once

#include <array>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "attend/nn/parameters/parameters.h"
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

enum class NormKind { layer, rms };
inline std::span<const std::string_view> enum_names(NormKind) {
  static constexpr std::array<std::string_view, 2> names{"layer", "rms"};
  return names;
}

struct NormOptions {
  NormKind kind = NormKind::layer;
  float epsilon = 1e-5f;
  bool bias = true;  // of layer normalization
};

// Normalization over the hidden size: a gain `weight` [D], and for layer normalization (by default)
// a shift `bias` [D].
class Norm {
 public:
  Norm(ParameterSet& parameters, const std::string& path, std::int64_t width,
       const NormOptions& options);
  Variable forward(const Variable& x) const;
  // forward() of every head [D] of x [N, H*D] -> [N, H*D].
  Variable forward_heads(const Variable& x) const;
  // forward(x + dropout(branch)), in one pass.
  Variable forward_residual(const Variable& x, const Variable& branch,
                            const Dropout& dropout) const;
  // Tells a pass that asks for it that the residual stream is normalized.
  void record(const Pass& pass) const;
  // The same of what was added to it last.
  void record_branch(const Pass& pass) const;
  // Its gain and shift; the latter is zeros where layer normalization has none.
  LayerNormParameters affine() const;

 private:
  std::string path_;
  Parameter weight_;
  Parameter bias_;
  bool centered_;  // layer normalization
  float epsilon_;
};

// What a layer makes of each vector alone, beside attention: FeedForward, or Experts (experts.h).
class PositionWise {
 public:
  virtual ~PositionWise() = default;
  virtual Variable forward(const Variable& x, Pass& pass) const = 0;  // [N, d_model], both
};

// FFN(x) = activation(x W1^T + b1) W2^T + b2 (Vaswani et al. 2017, section 3.3), with dropout after
// the activation. Gated, the activated layer is multiplied by x V^T + c (Shazeer 2020).
struct FeedForwardOptions {
  std::int64_t d_model = 512;
  std::int64_t d_ff = 2048;
  Activation activation = Activation::relu;
  float dropout = 0.0f;
  bool gated = false;
  bool bias = true;         // of W2
  bool hidden_bias = true;  // of W1 and V
};

// Parameters linear1 (W1), linear_gate (V) of a gated one, linear2 (W2).
class FeedForward final : public PositionWise {
 public:
  FeedForward(ParameterSet& parameters, const std::string& path, const FeedForwardOptions& options);
  Variable forward(const Variable& x, Pass& pass) const override;
  // The same as a part of a larger network: tells nobody of the result.
  Variable part(const Variable& x, Pass& pass) const;

 private:
  // activation(x W1^T + b1), times the gate if there is one.
  Variable activated(const Variable& x, const Pass& pass) const;

  std::string path_;
  Linear linear1_;
  std::optional<Linear> gate_;
  Linear linear2_;
  Activation activation_;
  float dropout_;
};

// The residual connection around a sublayer f, with normalization and dropout (section 5.4):
//   post-norm  Norm(x + dropout(f(x)))  as in the paper,
//   pre-norm   x + dropout(f(Norm(x))).
// With a norm of the branch, a second Norm2 is applied to f before the addition: x + Norm2(f(x)),
// or pre-norm x + Norm2(f(Norm(x))). What is added may have a factor.
struct ConnectionOptions {
  std::int64_t width = 512;
  NormOptions norm;
  float dropout = 0.0f;
  bool norm_first = false;
  bool norm_branch = false;
  float scale = 1.0f;        // of what is added
  bool norm_shared = false;  // its input is normalized elsewhere
};

class SublayerConnection {
 public:
  // Parameters of a norm at `path`, unless only the branch has one, and at `path`_branch. A pass
  // keeps its values as those of `sublayer`.
  SublayerConnection(ParameterSet& parameters, const std::string& path,
                     const ConnectionOptions& options, std::string sublayer);

  // What the sublayer reads of x.
  Variable input(const Variable& x, const Pass& pass) const;
  // Adds what it makes of it to x, which has had more added since if sublayers are parallel.
  Variable add(const Variable& x, const Variable& branch, Pass& pass) const;

 private:
  // Keeps the sum before its normalization, with the next dropout of the pass.
  void keep_sum(const Variable& x, const Variable& added, Pass pass) const;

  std::string sublayer_;
  std::optional<Norm> norm_, branch_norm_;
  float dropout_;
  float scale_;
  bool norm_first_;
};

}  // namespace attend
