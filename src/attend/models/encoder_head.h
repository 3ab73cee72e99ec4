// What stands between the vectors of an encoder and the output of a classifier or tagger: a linear
// layer with an activation (BERT's pooler), and a normalization behind it (ModernBERT), or nothing.
#pragma once

#include <cstdint>
#include <optional>

#include "attend/core/options/options.h"
#include "attend/models/stack/stack_config.h"
#include "attend/nn/layers.h"

namespace attend {

struct HeadOptions {
  Activation activation = Activation::none;  // none: no layer
  bool bias = true;
  bool norm = false;
};

template <class Visitor>
void head_fields(HeadOptions& o, Visitor&& visit) {
  visit("head", o.activation,
        "activation of a linear layer before the output layer, such as tanh (BERT) or relu "
        "(DistilBERT); none: no such layer");
  visit("head-bias", o.bias, "a bias in the linear layer of --head");
  visit("head-norm", o.norm, "normalize after the activation of --head");
}

class EncoderHead {
 public:
  // Parameters head, a linear layer [D, D], and head_norm. Throws ConfigError for a norm without a
  // layer.
  EncoderHead(ParameterSet& parameters, std::int64_t width, const HeadOptions& options,
              const NormOptions& norm);

  // [N, D] -> [N, D]
  Variable forward(const Variable& x, Pass& pass) const;
  Activation activation() const { return activation_; }
  const std::optional<Linear>& linear() const { return linear_; }
  // The weights of the layer, which may be packed or in 8 bits; nullopt: there is none.
  std::optional<OutputProjection> projection() const;
  const std::optional<Norm>& norm() const { return norm_; }

 private:
  Activation activation_;
  std::optional<Linear> linear_;
  std::optional<Norm> norm_;
};

}  // namespace attend
