// What one forward pass is for: the random numbers of its dropout, and the precision of its matrix
// products.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "attend/backend/backend.h"

namespace attend {

// The attention weights of one layer: for each sequence, then each head, a [Tq, Tk] block, one
// after the other.
struct AttentionRecord {
  std::string module;  // "encoder.layers.0.self_attn"
  int heads = 0;
  Tensor weights;
};

class Pass {
 public:
  // No dropout, products in f32.
  static Pass inference() { return Pass(); }
  // Dropout masks are a function of (seed, step): every module that asks gets a stream of its own,
  // in the order of asking.
  static Pass training(std::uint64_t seed, std::uint64_t step,
                       Precision precision = Precision::f32) {
    Pass pass;
    pass.training_ = true;
    pass.precision_ = precision;
    pass.key_ = {seed, step << 16};
    return pass;
  }

  bool is_training() const { return training_; }
  // Of the products of the pass, and of those that its gradients need later.
  Precision precision() const { return precision_; }
  // The options of an op, with the precision of the pass.
  template <class Options>
  Options in_precision(Options options) const {
    options.precision = precision_;
    return options;
  }

  Dropout dropout(float p) {
    if (!training_ || p == 0.0f) return {};
    return {p, {key_.seed, key_.stream + ++drawn_}};
  }

  // When set, every attention module appends its weights.
  std::vector<AttentionRecord>* attention = nullptr;
  // When set, the encoder appends its input and the output of each of its layers, [N, D] all of
  // them.
  std::vector<Tensor>* hidden = nullptr;

 private:
  Pass() = default;

  bool training_ = false;
  Precision precision_ = Precision::f32;
  RandomKey key_;
  std::uint64_t drawn_ = 0;
};

}  // namespace attend
