// The Transformer as a StepModel.
#pragma once

#include <algorithm>

#include "attend/decode/step_model.h"
#include "attend/models/transformer.h"

namespace attend {

class TransformerSteps final : public StepModel {
 public:
  // Encodes the sources. `model` must outlive this.
  TransformerSteps(const Transformer& model, const Tokens& src) : model_(model), src_offsets_(src.offsets), state_(model.begin(src)) {}

  std::int64_t sentences() const override { return static_cast<std::int64_t>(src_offsets_->size()) - 1; }
  std::int64_t longest(std::int64_t sentence) const override {
    const auto s = static_cast<std::size_t>(sentence);
    const std::int64_t sensible = 2 * std::int64_t{(*src_offsets_)[s + 1] - (*src_offsets_)[s]} + 50;
    const bool limited = model_.config().positions == PositionKind::learned;
    return limited ? std::min<std::int64_t>(sensible, model_.config().max_positions) : sensible;
  }
  Tensor step(std::span<const std::int32_t> parents, std::span<const std::int32_t> tokens) override {
    return model_.step(state_, parents, tokens);
  }

 private:
  const Transformer& model_;
  Ids src_offsets_;
  TransformerState state_;
};

}  // namespace attend
