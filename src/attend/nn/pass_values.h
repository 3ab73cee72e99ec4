// What a pass over whole sequences computes on its way, for those who look at all of it.
#pragma once

#include <string>

#include "attend/tensor/tensor.h"

namespace attend {

// A matrix of a row per token, or of attention a number for each pair and head: a [Tq, Tk] block
// for each sequence and head.
struct PassValue {
  std::string module;  // as in the model file: "encoder.layers.0.self_attn"
  std::string name;    // "queries"
  Tensor value;
  int heads = 1;  // side by side in the columns of a matrix
};

class PassValues {
 public:
  virtual ~PassValues() = default;

  // Whether the values of a module are kept. Every module asks.
  virtual bool wants(const std::string& module) = 0;
  // Takes a value, in the order of computation.
  virtual void keep(PassValue value) = 0;
};

}  // namespace attend
