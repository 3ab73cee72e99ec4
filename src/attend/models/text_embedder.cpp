#include "attend/models/text_embedder.h"

#include <cmath>

#include "attend/core/option_fields.h"
#include "attend/ops/layer_norm.h"
#include "attend/ops/pooling.h"

namespace attend {

namespace {

const EmbedderConfig& validated(const EmbedderConfig& config) {
  validate(config);
  return config;
}

}  // namespace

// x / |x| = (x / sqrt(mean of x^2)) / sqrt(D): RMS normalization with a constant gain.
Variable unit_vectors(const Variable& x) {
  const std::int64_t width = x.dim(1);
  const float gain = 1.0f / std::sqrt(static_cast<float>(width));
  return layer_norm(x, {Variable(Tensor::full({width}, gain)), {}, 1e-24f});
}

void validate(const EmbedderConfig& c) {
  validate(static_cast<const EncoderConfig&>(c));
  check_options(c);
}

TextEmbedder::TextEmbedder(const EmbedderConfig& config)
    : config_(validated(config)), encoder_(parameters_, config) {}

TextEmbedder::TextEmbedder(const EmbedderConfig& config, std::uint64_t seed)
    : TextEmbedder(config) {
  parameters_.allocate(seed);
}

TextEmbedder::TextEmbedder(const EmbedderConfig& config, Purpose) : TextEmbedder(config) {}

Variable TextEmbedder::pooled(const Variable& tokens, const Ids& offsets) const {
  const Variable vectors = pool(tokens, offsets, config_.pooling);
  return config_.normalize ? unit_vectors(vectors) : vectors;
}

}  // namespace attend
