// The encoder-decoder of "Attention Is All You Need" (Vaswani et al. 2017).
#pragma once

#include <cstdint>
#include <memory>
#include <variant>
#include <vector>

#include "attend/models/encoder_decoder.h"
#include "attend/models/stack/stack_input.h"
#include "attend/models/stack/transformer_stack.h"

namespace attend {

class Transformer final : public EncoderDecoder {
 public:
  explicit Transformer(const TransformerConfig& config);
  Transformer(const TransformerConfig& config, std::uint64_t seed) : Transformer(config) {
    parameters_.allocate(seed);
  }

  const TransformerConfig& config() const { return std::get<TransformerConfig>(architecture_); }
  std::int64_t longest_sequence() const override { return config().learned_positions(); }
  int encoder_layers() const override { return config().n_encoder_layers; }

  // -> memory [N, D].
  Variable encode(const Ragged& src, Pass& pass) const override;
  Variable decode(const Ragged& tgt, const Variable& memory, const Ragged& src,
                  Pass& pass) const override;
  void see_later_tokens() override;
  std::unique_ptr<DecodingState> decoding() const override;

 private:
  // The keys and values of the sources for each decoder layer.
  std::vector<Tensor> project_memory(const Ragged& src) const;

  StackInput src_input_;
  StackInput tgt_input_;
  TransformerStack encoder_;
  TransformerStack decoder_;
};

}  // namespace attend
