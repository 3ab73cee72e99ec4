#include "attend/models/encoder_head.h"

#include "attend/core/options/option_error.h"
#include "attend/error.h"

namespace attend {

EncoderHead::EncoderHead(ParameterSet& parameters, std::int64_t width, const HeadOptions& options,
                         const NormOptions& norm)
    : activation_(options.activation) {
  if (options.activation == Activation::none) {
    if (options.norm)
      throw OptionError<ConfigError>("{}: needs a layer, which {} makes", as_key("head-norm"),
                                     as_key("head"));
    return;
  }
  linear_.emplace(parameters, "head", width, width, options.bias);
  if (options.norm) norm_.emplace(parameters, "head_norm", width, norm);
}

std::optional<OutputProjection> EncoderHead::projection() const {
  if (!linear_) return std::nullopt;
  const AffineMap map = linear_->map();
  return OutputProjection{map.weight.value(), map.bias.defined() ? map.bias.value() : Tensor()};
}

Variable EncoderHead::forward(const Variable& x, Pass& pass) const {
  if (!linear_) return x;
  const Variable y = pass.keep("head", "output", linear_->forward(x, pass, activation_));
  return norm_ ? pass.keep("head_norm", "output", norm_->forward(y)) : y;
}

}  // namespace attend
