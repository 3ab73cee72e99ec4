#include "attend/models/quality_estimator.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <system_error>

#include "attend/core/options/number_range.h"
#include "attend/core/options/option_error.h"
#include "attend/core/options/option_fields.h"
#include "attend/core/strings/quote.h"
#include "attend/error.h"
#include "attend/ops/elementwise.h"
#include "attend/ops/pooling.h"
#include "attend/ops/slices.h"

namespace attend {

namespace {

// |x| = max(x, 0) + max(-x, 0)
Variable magnitude(const Variable& x) {
  return add(activate(x, Activation::relu), activate(scale(x, -1.0f), Activation::relu));
}

Variable difference(const Variable& a, const Variable& b) {
  return magnitude(add(a, scale(b, -1.0f)));
}

}  // namespace

std::vector<int> QualityConfig::widths() const {
  std::vector<int> all;
  for (const std::string& text : estimator_widths) {
    int width = 0;
    const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), width);
    if (failure != std::errc() || end != text.data() + text.size() || width < 1 ||
        width > kWidths.most)
      throw OptionError<ConfigError>("{}: expected whole numbers from 1 to {}, got {}",
                                     as_key("estimator-widths"), kWidths.most, quote(text));
    all.push_back(width);
  }
  return all;
}

int QualityConfig::estimated_width() const {
  if (reading == QualityReading::joined) return d_model;
  constexpr int kOfTwo = 4, kOfThree = 6;
  return d_model * (reference ? kOfThree : kOfTwo);
}

void validate(const QualityConfig& c) {
  validate(static_cast<const EncoderConfig&>(c));
  check_options(c);
  c.widths();
  if (c.pooling != Pooling::max && c.pooling != Pooling::mean && c.pooling != Pooling::first)
    throw OptionError<ConfigError>("{}: expected max, mean or first", as_key("pooling"));
  if (!c.source && (c.reading == QualityReading::compared || !c.reference))
    throw OptionError<ConfigError>("{}: expected a source{}", as_key("source"),
                                   c.reading == QualityReading::joined ? " or a reference" : "");
}

QualityEstimator::QualityEstimator(const QualityConfig& config)
    : EncoderNetwork(config), mix_(parameters_, config.n_encoder_layers, config.mix) {
  int width = config.estimated_width();
  const auto add_layer = [&](int next) {
    estimator_.emplace_back(parameters_, fmt::format("estimator.{}", estimator_.size()), width,
                            next);
    width = next;
  };
  for (const int next : config.widths()) add_layer(next);
  add_layer(1);
}

Variable QualityEstimator::pooled(const Variable& tokens, const Ragged& texts) const {
  const std::span<const std::int32_t> ids = *texts.ids;
  const auto is_counted = [&](std::int32_t n) {
    return ids[static_cast<std::size_t>(n)] != config_.uncounted_token;
  };
  if (config_.pooling == Pooling::first ||
      std::find(ids.begin(), ids.end(), config_.uncounted_token) == ids.end())
    return pool(tokens, texts.offsets, config_.pooling);
  std::vector<Variable> counted;
  std::vector<std::int32_t> offsets{0};
  std::vector<float> shares;
  for (std::int64_t b = 0; b < texts.sequences(); ++b) {
    for (std::int32_t n = texts.begin_of(b); n < texts.begin_of(b + 1); ++n)
      if (is_counted(n)) counted.push_back(slice_rows(tokens, n, n + 1));
    const auto count = static_cast<float>(std::ssize(counted) - offsets.back());
    offsets.push_back(static_cast<std::int32_t>(counted.size()));
    shares.push_back(config_.pooling == Pooling::mean ? count / static_cast<float>(texts.length(b))
                                                      : 1.0f);
  }
  return scale_rows(pool(concat_rows(counted), offsets, config_.pooling),
                    Variable(Tensor::from(shares, {texts.sequences(), 1})));
}

Variable QualityEstimator::vectors(const Ragged& texts, Pass& pass) const {
  std::vector<Tensor> layers;
  std::vector<Tensor>* const asked = pass.hidden;
  pass.hidden = &layers;
  encode(texts, pass);
  pass.hidden = asked;
  if (asked != nullptr) asked->insert(asked->end(), layers.begin(), layers.end());
  const Variable mixed(mix_.forward(layers, texts.offsets));
  pass.keep("layer_mix", "output", mixed);
  return pass.keep("pooling", "output", pooled(mixed, texts));
}

Variable QualityEstimator::comparison(const Variable& translations, const Variable& sources,
                                      const Variable& references) const {
  Variable all = translations;
  const auto append = [&](const Variable& part) { all = concat_columns(all, part); };
  if (!config_.reference) {
    append(sources);
  } else {
    append(references);
    append(multiply(translations, references));
    append(difference(translations, references));
  }
  append(multiply(translations, sources));
  append(difference(translations, sources));
  return all;
}

Variable QualityEstimator::estimate(const Variable& features, Pass& pass) const {
  Variable x = features;
  for (std::size_t i = 0; i < estimator_.size(); ++i) {
    const bool is_last = i + 1 == estimator_.size();
    x = estimator_[i].forward(x, pass, is_last ? Activation::none : config_.estimator_activation);
    pass.keep(fmt::format("estimator.{}", i), "output", x);
  }
  return x;
}

}  // namespace attend
