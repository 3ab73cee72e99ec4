// The configuration of the encoder-decoder Transformer, with its defaults.
#pragma once

#include "attend/models/encoder_decoder_config.h"
#include "attend/models/stack_config.h"

namespace attend {

struct TransformerConfig : StackConfig, EncoderDecoderConfig {
  int n_encoder_layers = 6;
  int n_decoder_layers = 6;
  float output_scale = 1.0f;
};

template <class Visitor>
void fields(TransformerConfig& c, Visitor&& visit) {
  stack_fields(c, visit, [&] {
    visit("n-encoder-layers", c.n_encoder_layers, kLayerCounts, "layers of the encoder");
    visit("n-decoder-layers", c.n_decoder_layers, kLayerCounts, "layers of the decoder");
  });
  encoder_decoder_fields(c, visit);
  visit("output-scale", c.output_scale, between(1e-6, 1e6),
        "factor of the decoder's output before the output projection");
}

// Throws ConfigError naming the invalid option.
void validate(const TransformerConfig& config);

}  // namespace attend
