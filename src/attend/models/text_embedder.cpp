#include "attend/models/text_embedder.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>

#include "attend/core/options/option_error.h"
#include "attend/core/options/option_fields.h"
#include "attend/core/strings/quote.h"
#include "attend/error.h"
#include "attend/ops/layer_norm.h"
#include "attend/ops/pooling.h"
#include "attend/ops/slices.h"

namespace attend {

namespace {

constexpr std::array<const char*, 2> kDenseNames{"dense", "second_dense"};

}  // namespace

// x / |x| = (x / sqrt(mean of x^2)) / sqrt(D): RMS normalization with a constant gain.
Variable unit_vectors(const Variable& x) {
  const std::int64_t width = x.dim(1);
  const float gain = 1.0f / std::sqrt(static_cast<float>(width));
  return layer_norm(x, {Variable(Tensor::full({width}, gain)), {}, 1e-24f});
}

std::vector<Pooling> EmbedderConfig::poolings() const {
  std::vector<Pooling> all{pooling};
  for (const std::string& name : more_pooling) {
    Pooling more{};
    const auto names = enum_names(more);
    const auto found = std::find(names.begin(), names.end(), name);
    if (found == names.end())
      throw OptionError<ConfigError>("{}: expected some of {}, got {}", as_key("more-pooling"),
                                     fmt::join(names, ", "), quote(name));
    more = static_cast<Pooling>(found - names.begin());
    if (std::find(all.begin(), all.end(), more) != all.end())
      throw OptionError<ConfigError>("{}: {} is there already", as_key("more-pooling"), name);
    all.push_back(more);
  }
  return all;
}

void validate(const EmbedderConfig& c) {
  validate(static_cast<const EncoderConfig&>(c));
  check_options(c);
  c.poolings();
  if (c.second_dense_width > 0 && c.dense_width == 0)
    throw OptionError<ConfigError>("{}: needs {}", as_key("second-dense-width"),
                                   as_key("dense-width"));
}

TextEmbedder::TextEmbedder(const EmbedderConfig& config)
    : EncoderNetwork(config), poolings_(config.poolings()) {
  std::int64_t width = config.pooled_width();
  for (const int next : {config.dense_width, config.second_dense_width}) {
    if (next == 0) break;
    dense_.emplace_back(parameters_, kDenseNames[dense_.size()], width, next, config.dense_bias);
    width = next;
  }
}

Variable TextEmbedder::pooled(const Variable& tokens, const Ids& offsets, Pass& pass) const {
  Variable vectors = pool(tokens, offsets, poolings_.front());
  for (std::size_t i = 1; i < poolings_.size(); ++i)
    vectors = concat_columns(vectors, pool(tokens, offsets, poolings_[i]));
  pass.keep("pooling", "output", vectors);
  for (std::size_t i = 0; i < dense_.size(); ++i)
    vectors = pass.keep(kDenseNames[i], "output",
                        dense_[i].forward(vectors, pass, config_.dense_activation));
  return config_.normalize ? pass.keep("normalize", "output", unit_vectors(vectors)) : vectors;
}

}  // namespace attend
