// An encoder-decoder as a StepModel.
#pragma once

#include <algorithm>
#include <memory>

#include "attend/decode/step_model.h"
#include "attend/models/encoder_decoder.h"

namespace attend {

class EncoderDecoderSteps final : public StepModel {
 public:
  // Encodes the sources. `model` must outlive this.
  EncoderDecoderSteps(const EncoderDecoder& model, const Tokens& src)
      : model_(model), src_offsets_(src.offsets), state_(model.begin(src)) {}

  std::int64_t sentences() const override { return static_cast<std::int64_t>(src_offsets_->size()) - 1; }
  std::int64_t longest(std::int64_t sentence) const override {
    const auto s = static_cast<std::size_t>(sentence);
    const std::int64_t sensible = 2 * std::int64_t{(*src_offsets_)[s + 1] - (*src_offsets_)[s]} + 50;
    const std::int64_t limit = model_.longest_sequence();
    return limit > 0 ? std::min(sensible, limit) : sensible;
  }
  Tensor step(std::span<const std::int32_t> parents, std::span<const std::int32_t> tokens) override {
    return state_->step(parents, tokens);
  }

 private:
  const EncoderDecoder& model_;
  Ids src_offsets_;
  std::unique_ptr<DecodingState> state_;
};

}  // namespace attend
