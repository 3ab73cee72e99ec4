#include "attend/nn/multi_head_attention.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "attend/backend/weights.h"
#include "attend/core/options/number_range.h"
#include "attend/core/options/option_error.h"
#include "attend/error.h"
#include "attend/nn/residual_step.h"
#include "attend/ops/slices.h"

namespace attend {

namespace {

MultiHeadAttentionOptions with_defaults(MultiHeadAttentionOptions o) {
  require_in_range("n-heads", o.n_heads, kHeadCounts);
  if ((o.d_key == 0 || o.d_value == 0) && o.d_model % o.n_heads != 0)
    throw OptionError<ConfigError>(
        "{} {} does not divide {} {}: choose a divisor, or give the widths of a head",
        as_key("n-heads"), o.n_heads, as_key("d-model"), o.d_model);
  if (o.n_key_heads == 0) o.n_key_heads = o.n_heads;
  if (o.n_key_heads < 0 || o.n_heads % o.n_key_heads != 0)
    throw OptionError<ConfigError>("{} {} does not divide {} {}", as_key("n-key-heads"),
                                   o.n_key_heads, as_key("n-heads"), o.n_heads);
  if (o.d_memory == 0) o.d_memory = o.d_model;
  if (o.d_key == 0) o.d_key = o.d_model / o.n_heads;
  if (o.d_value == 0) o.d_value = o.d_model / o.n_heads;
  if (o.variant.scores == AttentionScores::standard) o.variant.scores = AttentionScores::dot;
  return o;
}

std::int64_t longest_sequence(const Ids& offsets) {
  std::int32_t longest = 0;
  for (std::int64_t b = 0; b + 1 < offsets.size(); ++b)
    longest = std::max(longest, offsets[b + 1] - offsets[b]);
  return longest;
}

Variable apply(const AffineMap& map, const Variable& x, const LinearOptions& options = {}) {
  return linear(x, map.weight, map.bias, options);
}

}  // namespace

MultiHeadAttention::Projections::Projections(ParameterSet& parameters, const std::string& path,
                                             const MultiHeadAttentionOptions& options) {
  // 1/sqrt(2) of Xavier's limit: the initialization of the three projections as one stacked matrix.
  // Post-norm stacks train better with it.
  const Init xavier{Init::Kind::xavier_uniform, std::sqrt(0.5f)};
  const std::int64_t queries = options.n_heads * options.d_key,
                     keys = options.n_key_heads * options.d_key,
                     values = options.n_key_heads * options.d_value;
  q_weight = parameters.add_weights(path + ".q_proj.weight", {queries, options.d_model}, xavier);
  parameters.add_weights(path + ".k_proj.weight", {keys, options.d_memory}, xavier);
  parameters.add_weights(path + ".v_proj.weight", {values, options.d_memory}, xavier);
  const bool has_bias = options.biases != AttentionBiases::none;
  if (has_bias) {
    q_bias = parameters.add(path + ".q_proj.bias", {queries}, {});
    parameters.add(path + ".k_proj.bias", {keys}, {});
    parameters.add(path + ".v_proj.bias", {values}, {});
    kv_bias = parameters.stack(path + ".k_proj.bias", path + ".v_proj.bias");
  }
  kv_weight = parameters.stack(path + ".k_proj.weight", path + ".v_proj.weight");
  if (options.d_memory != options.d_model) return;
  qkv_weight = parameters.stack(path + ".q_proj.weight", path + ".v_proj.weight");
  if (has_bias) qkv_bias = parameters.stack(path + ".q_proj.bias", path + ".v_proj.bias");
}

MultiHeadAttention::HeadNorms::HeadNorms(ParameterSet& parameters, const std::string& path,
                                         const MultiHeadAttentionOptions& options)
    : queries(parameters, path + ".q_norm", options.d_key, *options.qk_norm),
      keys(parameters, path + ".k_norm", options.d_key, *options.qk_norm) {}

MultiHeadAttention::MultiHeadAttention(ParameterSet& parameters, const std::string& path,
                                       const MultiHeadAttentionOptions& options)
    : path_(path),
      options_(with_defaults(options)),
      query_width_(options_.n_heads * options_.d_key),
      key_width_(options_.n_key_heads * options_.d_key),
      value_width_(options_.n_key_heads * options_.d_value),
      projections_(parameters, path, options_),
      head_norms_(options_.qk_norm
                      ? std::optional<HeadNorms>(std::in_place, parameters, path, options_)
                      : std::nullopt),
      rotary_(options_.rotary
                  ? std::optional<RotaryEncoding>(std::in_place, options_.d_key, *options_.rotary)
                  : std::nullopt),
      function_(parameters, path,
                {options_.n_heads, options_.n_key_heads, options_.d_key, options_.variant}),
      out_proj_(parameters, path + ".out_proj", options_.n_heads * options_.d_value,
                options_.d_model, options_.biases == AttentionBiases::all) {
  if (options_.relative != nullptr && !function_.is_one_kernel())
    throw OptionError<ConfigError>("positions: relative and alibi need {} dot and {} soft",
                                   as_key("attention-scores"), as_key("attention-choice"));
}

void MultiHeadAttention::expect_self() const {
  if (options_.d_memory != options_.d_model)
    throw ShapeError(
        fmt::format("[multi_head_attention] {} attends to a memory of width {}, not to its own "
                    "input of width {}",
                    path_, options_.d_memory, options_.d_model));
}

std::int64_t MultiHeadAttention::cached_width(std::int64_t width) const {
  return options_.n_key_heads * quantized_columns(width / options_.n_key_heads);
}

// Quantizing keys and values adds little to the error of quantized weights, and takes a quarter of
// the memory and bandwidth per step.
Tensor MultiHeadAttention::to_cache_type(const Tensor& keys_values) const {
  if (!is_quantized(projections_.kv().weight.value())) return keys_values;
  const std::int64_t keys = cached_width(key_width_), all = keys + cached_width(value_width_);
  const Tensor rounded = Tensor::empty({keys_values.rows(), all}, DType::i8);
  backend()->quantize_groups(keys_values.slice_columns(0, key_width_), options_.d_key,
                             rounded.slice_columns(0, keys));
  backend()->quantize_groups(keys_values.slice_columns(key_width_, keys_values.cols()),
                             options_.d_value, rounded.slice_columns(keys, all));
  return rounded;
}

Tensor MultiHeadAttention::attend_cached(const Tensor& q, const KeyRows& keys_values,
                                         const DistanceBias& bias) const {
  const std::int64_t value_distance =
      keys_values.dtype() == DType::i8 ? cached_width(key_width_) : key_width_;
  return function_.cached(q, keys_values, value_distance, options_.n_heads * options_.d_value,
                          bias);
}

Tensor MultiHeadAttention::project_memory(const Variable& memory) const {
  return to_cache_type(keys_values(memory, {}).value());
}

Variable MultiHeadAttention::queries(const Variable& x, const LinearOptions& options) const {
  const Variable q = apply(projections_.q(), x, options);
  return head_norms_ ? head_norms_->queries.forward_heads(q) : q;
}

Variable MultiHeadAttention::keys_values(const Variable& memory,
                                         const LinearOptions& options) const {
  const Variable kv = apply(projections_.kv(), memory, options);
  if (!head_norms_) return kv;
  return concat_columns(head_norms_->keys.forward_heads(slice_columns(kv, 0, key_width_)),
                        slice_columns(kv, key_width_, kv.dim(1)));
}

Variable MultiHeadAttention::project_self(const SelfAttentionInput& x,
                                          const LinearOptions& options) const {
  const bool is_one_input = !x.keys_values.defined();
  if (is_one_input && !head_norms_) return apply(projections_.qkv(), x.queries, options);
  return concat_columns(queries(x.queries, options),
                        keys_values(is_one_input ? x.queries : x.keys_values, options));
}

Variable MultiHeadAttention::self(const SelfAttentionInput& x, const AttentionPattern& pattern,
                                  Pass& pass) const {
  expect_self();
  const Variable qkv = project_self(x, {.precision = pass.precision()});
  const Variable turned =
      rotary_ ? rotary_->rotate(qkv, query_width_ + key_width_, pattern.positions) : qkv;
  const std::int64_t k = query_width_, v = k + key_width_;
  AttentionPattern seen = pattern;
  if (options_.relative != nullptr)
    seen.distance_bias = options_.relative->biases(longest_sequence(pattern.key_offsets));
  return attend({turned, 0, k}, {turned, k, v}, {turned, v, v + value_width_}, seen, pass);
}

Variable MultiHeadAttention::cross(const Variable& x, const Variable& memory,
                                   const AttentionPattern& pattern, Pass& pass) const {
  const LinearOptions options{.precision = pass.precision()};
  const Variable kv = keys_values(memory, options);
  return attend(queries(x, options), {kv, 0, key_width_},
                {kv, key_width_, key_width_ + value_width_}, pattern, pass);
}

Variable MultiHeadAttention::attend(const Columns& q, const Columns& k, const Columns& v,
                                    const AttentionPattern& pattern, Pass& pass) const {
  Tensor weights;
  const Variable heads = function_.forward(q, k, v, pattern,
                                           {pass.dropout(options_.dropout), pass.precision(),
                                            pass.attention != nullptr ? &weights : nullptr});
  if (pass.attention != nullptr) pass.attention->push_back({path_, options_.n_heads, weights});
  const Variable y = out_proj_.forward(heads, pass);
  if (pass.residual != nullptr)
    pass.residual->push_back(
        {path_, y.value(), ResidualStep::Heads{options_.n_heads, heads.value(), out_proj_.map()}});
  return y;
}

Variable MultiHeadAttention::self_cached(const SelfAttentionInput& x, KVCache& cache,
                                         int layer) const {
  expect_self();
  const Variable plain = project_self(x, {});
  const Tensor qkv =
      (rotary_ ? rotary_->rotate(plain, query_width_ + key_width_, cache.positions()) : plain)
          .value();
  cache.append(layer, to_cache_type(qkv.slice_columns(query_width_, qkv.cols())));
  DistanceBias bias;
  if (options_.relative != nullptr) {
    const Ids& positions = cache.positions();
    const std::int32_t last =
        positions->empty() ? 0 : *std::max_element(positions->begin(), positions->end());
    bias.table = options_.relative->biases(last + 1).value();
  }
  return out_proj_.forward(
      Variable(attend_cached(qkv.slice_columns(0, query_width_), cache.view(layer), bias)),
      Pass::inference());
}

Variable MultiHeadAttention::cross_cached(const Variable& x, const KeyRows& keys_values) const {
  const Tensor q = queries(x, {}).value();
  return out_proj_.forward(Variable(attend_cached(q, keys_values, {})), Pass::inference());
}

}  // namespace attend
