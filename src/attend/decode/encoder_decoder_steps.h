// An encoder-decoder as a StepModel: any token may come next.
#pragma once

#include <memory>

#include "attend/decode/step_model.h"
#include "attend/models/encoder_decoder.h"

namespace attend {

class EncoderDecoderSteps final : public StepModel {
 public:
  // Encodes the sources. `model` must outlive this.
  EncoderDecoderSteps(const EncoderDecoder& model, const Ragged& src);

  std::int64_t sentences() const override;
  std::int64_t longest(std::int64_t sentence) const override;
  void step(std::span<const std::int32_t> parents, std::span<const std::int32_t> tokens) override;
  Tensor logits(std::int64_t begin, std::int64_t end) override;
  BestTokens best(std::int64_t hypotheses, int k) override;
  std::int32_t token(std::int64_t, std::int64_t column) const override { return static_cast<std::int32_t>(column); }

  // What is projected for the last step: hidden states [R, D].
  const Tensor& hidden() const { return hidden_; }

 private:
  const EncoderDecoder& model_;
  Ids src_offsets_;
  std::unique_ptr<DecodingState> state_;
  Tensor hidden_;
};

}  // namespace attend
