#include "attend/nn/attention/attention_function.h"

#include <fmt/format.h>

#include <cmath>
#include <numeric>
#include <utility>
#include <vector>

#include "attend/core/options/option_error.h"
#include "attend/error.h"
#include "attend/ops/attention/rotary.h"
#include "attend/ops/elementwise.h"
#include "attend/ops/slices.h"

namespace attend {

namespace {

float scale_of(const AttentionFunctionOptions& options) {
  const AttentionVariant& variant = options.variant;
  if (!std::isfinite(variant.inverse_temperature))
    throw OptionError<ConfigError>("{}: expected a number, got {}", as_key("inverse-temperature"),
                                   variant.inverse_temperature);
  if (variant.inverse_temperature != 0.0f) return variant.inverse_temperature;
  return variant.scores == AttentionScores::additive
             ? 1.0f
             : 1.0f / std::sqrt(static_cast<float>(options.d_key));
}

Variable variable_of(const Columns& columns) {
  return slice_columns(columns.of, columns.begin, columns.end);
}

// The `width` elements of all heads, from element `begin` of each key.
Variable gathered(const KeyRows& keys, std::int64_t begin, std::int64_t width, int heads) {
  const Tensor matrix = Tensor::empty({keys.size(), width});
  backend()->gather_keys(keys, begin, heads, matrix);
  return Variable(matrix);
}

}  // namespace

AttentionFunction::AttentionFunction(ParameterSet& parameters, const std::string& path,
                                     const AttentionFunctionOptions& options)
    : options_(options), scale_(scale_of(options)) {
  if (options.variant.scores == AttentionScores::additive)
    score_ = parameters.add(path + ".score.weight", {1, options.heads * options.d_key},
                            {Init::Kind::xavier_uniform});
}

bool AttentionFunction::is_one_kernel() const {
  return !score_ && options_.variant.choice == AttentionChoice::soft;
}

// Repeats the heads of keys or values, one per query head.
Columns AttentionFunction::for_all_heads(const Columns& x) const {
  if (options_.key_heads == options_.heads) return x;
  return repeat_groups(variable_of(x), (x.end - x.begin) / options_.key_heads,
                       options_.heads / options_.key_heads);
}

AttentionLayout AttentionFunction::own_layout(AttentionLayout layout) const {
  layout.heads = options_.heads;
  layout.scale = scale_;
  layout.cap = options_.cap;
  return layout;
}

Variable AttentionFunction::plain_scores(const AttentionInputs& x, const AttentionLayout& layout,
                                         const Variable& terms) const {
  const Variable q = variable_of(x.q), k = variable_of(for_all_heads(x.k));
  const Variable scores =
      score_ ? additive_attention_scores(q, k, *score_, layout) : attention_scores(q, k, layout);
  return terms.defined() ? add(scores, terms) : scores;
}

Tensor AttentionFunction::scores(const AttentionInputs& x, const AttentionLayout& layout,
                                 const Variable& terms) const {
  const NoGradient guard;
  const AttentionLayout own = own_layout(layout);
  return visible_scores(plain_scores(x, own, terms), x.distance_bias, own);
}

Variable AttentionFunction::first_head_weights(const AttentionInputs& x,
                                               const AttentionLayout& layout) const {
  AttentionLayout one = own_layout(layout);
  one.heads = 1;
  const auto first = [this](const Columns& of) {
    return slice_columns(of.of, of.begin, of.begin + options_.d_key);
  };
  return attention_weights(attention_scores(first(x.q), first(x.k), one), one);
}

Variable AttentionFunction::forward(const AttentionInputs& x, AttentionLayout layout,
                                    Tensor* weights, const Variable& terms) const {
  layout = own_layout(std::move(layout));
  const Columns v = for_all_heads(x.v);
  if (is_one_kernel() && !terms.defined())
    return scaled_dot_product_attention({x.q, for_all_heads(x.k), v, x.distance_bias}, layout,
                                        weights);
  const Variable scores = plain_scores(x, layout, terms);
  const Variable chosen = attention_weights(scores, layout, options_.variant.choice);
  if (weights != nullptr) *weights = chosen.value();
  return attention_sum(dropout(chosen, layout.dropout), variable_of(v), layout);
}

Tensor AttentionFunction::cached(const Tensor& q, const KeyRows& keys, std::int64_t value_distance,
                                 std::int64_t value_width, const DistanceBias& bias) const {
  if (is_one_kernel()) {
    const Tensor out = Tensor::empty({q.rows(), value_width});
    backend()->attention_cached(
        q, keys, {value_distance, options_.heads, options_.key_heads, scale_, bias, options_.cap},
        out);
    return out;
  }
  std::vector<std::int32_t> queries(keys.offsets->size());
  std::iota(queries.begin(), queries.end(), 0);
  const NoGradient guard;
  const std::int64_t group = options_.heads / options_.key_heads;
  return forward({Variable(q), gathered(keys, 0, q.cols() / group, options_.key_heads),
                  gathered(keys, value_distance, value_width / group, options_.key_heads)},
                 {std::move(queries), keys.offsets})
      .value();
}

}  // namespace attend
