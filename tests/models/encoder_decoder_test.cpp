// What every encoder-decoder does alike.
#include "attend/models/encoder_decoder.h"

#include <gtest/gtest.h>

#include <cmath>

#include "attend/models/make_encoder_decoder.h"
#include "models/small_encoder_decoder.h"
#include "ops/operands.h"

namespace attend {
namespace {

class EncoderDecoders : public testing::TestWithParam<EncoderDecoderVariant> {};

INSTANTIATE_TEST_SUITE_P(Of, EncoderDecoders, testing::ValuesIn(encoder_decoder_variants()),
                         [](const auto& suite) { return suite.param.name; });

// Vaswani et al. 2017, 3.4.
TEST_P(EncoderDecoders, MultiplyEmbeddingsByTheRootOfTheirWidth) {
  ArchitectureConfig config = GetParam().config;
  if (auto* transformer = std::get_if<TransformerConfig>(&config)) {
    transformer->positions = PositionKind::none;
    transformer->attention_layers.clear();  // which may need rotary ones
    transformer->attention_window = 0;
    transformer->local_rotary_theta = 0.0;
    transformer->embedding_scale = 0.0f;
    transformer->norm_embedding = false;
  }
  const auto model = make_encoder_decoder(config, 1);
  const Ragged src = random_tokens({3, 5}, model->config().src_vocab_size);
  const NoGradient guard;
  Pass pass = Pass::inference();
  std::vector<Tensor> states;
  pass.hidden = &states;
  model->encode(src, pass);
  const Tensor table = model->src_embeddings();
  for (std::int64_t n = 0; n < 8; ++n) {
    const std::int64_t id = (*src.ids)[static_cast<std::size_t>(n)];
    for (std::int64_t d = 0; d < 32; ++d)
      ASSERT_FLOAT_EQ(states.at(0).row(n)[d], std::sqrt(32.0f) * table.row(id)[d])
          << "token " << n << ", element " << d;
  }
}

}  // namespace
}  // namespace attend
