#include "attend/models/transformer.h"

#include <algorithm>
#include <vector>

#include "attend/backend/backend.h"
#include "attend/models/stack/stack_decoding.h"

namespace attend {

namespace {

// Tokens encoded at once for decoding, unless one sequence has more. More would not be faster, but
// the encoder's activations take memory; rows do not depend on their batch.
std::int32_t encoded_tokens() {
  return static_cast<std::int32_t>(backend()->block_sizes().product_rows);
}

// The end of the group of sequences encoded together with sequence `begin`.
std::int64_t group_end(const Ragged& src, std::int64_t begin) {
  const std::span<const std::int32_t> offsets = *src.offsets;
  const auto first = offsets.begin() + begin;
  const auto after = std::upper_bound(first, offsets.end(), *first + encoded_tokens());
  return std::max<std::int64_t>(begin + 1, after - offsets.begin() - 1);
}

}  // namespace

Transformer::Transformer(const TransformerConfig& config)
    : EncoderDecoder(config),
      src_input_(parameters_, {"encoder", "src_"}, config),
      tgt_input_(parameters_, {"decoder", "tgt_"}, config.decoder()),
      encoder_(parameters_, "encoder", config, {.layers = config.n_encoder_layers}),
      decoder_(parameters_, "decoder", config.decoder(),
               {.layers = config.n_decoder_layers,
                .cross_attention = true,
                .d_memory = config.d_model,
                .causal = true,
                .recurrent = config.decoder_autoreg == DecoderAutoreg::ssru,
                .output_scale = config.output_scale}) {}

Variable Transformer::encode(const Ragged& src, Pass& pass) const {
  SequenceContext context(src, /*causal=*/false);
  return encoder_.forward(src_input_.whole(src_embedding_, src, pass), context, pass);
}

Variable Transformer::decode(const Ragged& tgt, const Variable& memory, const Ragged& src,
                             Pass& pass) const {
  SequenceContext context(memory, src, tgt, /*causal=*/!sees_later_tokens());
  return decoder_.forward(tgt_input_.whole(tgt_embedding_, tgt, pass), context, pass);
}

std::vector<Tensor> Transformer::project_memory(const Ragged& src) const {
  Pass pass = Pass::inference();
  if (src.tokens() <= encoded_tokens()) return decoder_.project_memory(encode(src, pass));
  std::vector<Tensor> memory(static_cast<std::size_t>(decoder_.layers()));
  for (std::int64_t begin = 0, end = 0; begin < src.sequences(); begin = end) {
    end = group_end(src, begin);
    const std::vector<Tensor> part = decoder_.project_memory(encode(src.slice(begin, end), pass));
    const std::int32_t first = (*src.offsets)[static_cast<std::size_t>(begin)],
                       last = (*src.offsets)[static_cast<std::size_t>(end)];
    for (std::size_t layer = 0; layer < memory.size(); ++layer) {
      if (begin == 0)
        memory[layer] = Tensor::empty({src.tokens(), part[layer].cols()}, part[layer].dtype());
      memory[layer].slice_rows(first, last).copy_from(part[layer]);
    }
  }
  return memory;
}

void Transformer::see_later_tokens() {
  if (config().decoder_autoreg == DecoderAutoreg::ssru) refuse_to_see_later_tokens();
  EncoderDecoder::see_later_tokens();
}

std::unique_ptr<DecodingState> Transformer::decoding() const {
  require_mask(sees_later_tokens());
  const auto embed = [this](const StepTokens& step) {
    Pass pass = Pass::inference();
    return tgt_input_.step(tgt_embedding_, step.ids, step.positions, pass);
  };
  return std::make_unique<StackDecoding>(decoder_, embed,
                                         [this](const Ragged& src) { return project_memory(src); });
}

}  // namespace attend
