// The context of a forward pass: random numbers for dropout, and GEMM precision.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "attend/autograd/variable.h"
#include "attend/backend/backend.h"
#include "attend/nn/attention/attention_guide.h"
#include "attend/nn/pass_values.h"

namespace attend {

// The attention weights of one layer: a [Tq, Tk] block for each sequence and head.
struct AttentionRecord {
  std::string module;  // "encoder.layers.0.self_attn"
  int heads = 0;
  Tensor weights;
};

struct ResidualStep;  // nn/residual_step.h

class Pass {
 public:
  // No dropout, f32.
  static Pass inference() { return Pass(); }
  // Dropout masks are a function of (seed, step): every request gets its own stream, in order of
  // the requests.
  static Pass training(std::uint64_t seed, std::uint64_t step,
                       Precision precision = Precision::f32) {
    Pass pass;
    pass.training_ = true;
    pass.precision_ = precision;
    pass.key_ = {seed, step << 16};
    return pass;
  }

  bool is_training() const { return training_; }
  // The precision of GEMMs, forward and backward.
  Precision precision() const { return precision_; }
  // The options of an op, with the precision of this pass.
  template <class Options>
  Options in_precision(Options options) const {
    options.precision = precision_;
    return options;
  }

  Dropout dropout(float p) {
    if (!training_ || p == 0.0f) return {};
    return {p, {key_.seed, key_.stream + ++drawn_}};
  }

  // Whether layers compute their activations again in the backward pass, to save memory.
  bool recompute = false;
  // The share of this batch in the loss of a step, for what is added to it (nn/experts.h).
  float share = 1.0f;
  // If set, an attention module learns from it.
  std::shared_ptr<const AttentionGuide> guide = nullptr;
  // If set, every attention module appends its weights.
  std::vector<AttentionRecord>* attention = nullptr;
  // If set, the encoder appends its input and the output of each layer, all [N, D].
  std::vector<Tensor>* hidden = nullptr;
  // If set, every stack appends what happens to its residual stream.
  std::vector<ResidualStep>* residual = nullptr;
  // If set, the modules of a pass over whole sequences keep there what they compute.
  PassValues* values = nullptr;

  // Whether a module keeps what it computes, so that values which it does not need are computed.
  bool keeps(const std::string& module) const { return values != nullptr && values->wants(module); }
  // Returns the value.
  Variable keep(const std::string& module, const char* name, const Variable& value,
                int heads = 1) const {
    if (keeps(module)) values->keep({module, name, value.value(), heads});
    return value;
  }

 private:
  Pass() = default;

  bool training_ = false;
  Precision precision_ = Precision::f32;
  RandomKey key_;
  std::uint64_t drawn_ = 0;
};

}  // namespace attend
