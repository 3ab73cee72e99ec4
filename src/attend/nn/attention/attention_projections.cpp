#include "attend/nn/attention/attention_projections.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "attend/backend/weights.h"
#include "attend/core/options/option_error.h"
#include "attend/error.h"
#include "attend/ops/slices.h"

namespace attend {

namespace {

std::int64_t normalized_width(const MultiHeadAttentionOptions& options, int heads) {
  return options.qk_norm_span == QkNormSpan::all ? heads * options.d_key : options.d_key;
}

}  // namespace

AttentionProjections::HeadNorms::HeadNorms(ParameterSet& parameters, const std::string& path,
                                           const MultiHeadAttentionOptions& options)
    : queries(parameters, path + ".q_norm", normalized_width(options, options.n_heads),
              *options.qk_norm),
      keys(parameters, path + ".k_norm", normalized_width(options, options.n_key_heads),
           *options.qk_norm) {}

AttentionProjections::AttentionProjections(ParameterSet& parameters, const std::string& path,
                                           const MultiHeadAttentionOptions& options)
    : path_(path),
      d_model_(options.d_model),
      d_memory_(options.d_memory),
      d_key_(options.d_key),
      d_value_(options.d_value),
      n_key_heads_(options.n_key_heads),
      query_width_(options.n_heads * options.d_key),
      key_width_(options.n_key_heads * options.d_key),
      value_width_(options.n_key_heads * options.d_value) {
  // 1/sqrt(2) of Xavier's limit: the initialization of the three projections as one stacked matrix.
  // Post-norm stacks train better with it.
  const Init xavier{Init::Kind::xavier_uniform, std::sqrt(0.5f)};
  q_.weight = parameters.add_weights(path + ".q_proj.weight", {query_width_, d_model_}, xavier);
  parameters.add_weights(path + ".k_proj.weight", {key_width_, d_memory_}, xavier);
  parameters.add_weights(path + ".v_proj.weight", {value_width_, d_memory_}, xavier);
  const bool has_bias = options.biases != AttentionBiases::none;
  if (has_bias) {
    q_.bias = parameters.add(path + ".q_proj.bias", {query_width_}, {});
    parameters.add(path + ".k_proj.bias", {key_width_}, {});
    parameters.add(path + ".v_proj.bias", {value_width_}, {});
    kv_.bias = parameters.stack(path + ".k_proj.bias", path + ".v_proj.bias");
  }
  kv_.weight = parameters.stack(path + ".k_proj.weight", path + ".v_proj.weight");
  if (d_memory_ == d_model_) {
    qkv_.weight = parameters.stack(path + ".q_proj.weight", path + ".v_proj.weight");
    if (has_bias) qkv_.bias = parameters.stack(path + ".q_proj.bias", path + ".v_proj.bias");
  }
  if (options.qk_norm) head_norms_.emplace(parameters, path, options);
  if (options.rotary) rotary_.emplace(d_key_, *options.rotary);
}

Variable AttentionProjections::Projection::of(const Variable& x, Precision precision) const {
  return linear(x, *weight, bias ? *bias : Variable(), {.precision = precision});
}

Variable AttentionProjections::queries(const Variable& x, Precision precision) const {
  const Variable q = q_.of(x, precision);
  return head_norms_ ? head_norms_->queries.forward_heads(q) : q;
}

Variable AttentionProjections::side_by_side(const Variable& memory, Precision precision) const {
  const Variable kv = kv_.of(memory, precision);
  if (!head_norms_) return kv;
  return concat_columns(head_norms_->keys.forward_heads(slice_columns(kv, 0, key_width_)),
                        slice_columns(kv, key_width_, kv.dim(1)));
}

KeysValues AttentionProjections::keys_values(const Variable& memory, Precision precision) const {
  const Variable kv = side_by_side(memory, precision);
  return {{kv, 0, key_width_}, {kv, key_width_, key_width_ + value_width_}};
}

QueriesKeysValues AttentionProjections::self(const SelfAttentionInput& x, const Ids& positions,
                                             Precision precision) const {
  if (d_memory_ != d_model_)
    throw ShapeError(
        fmt::format("[multi_head_attention] {} attends to a memory of width {}, not to its own "
                    "input of width {}",
                    path_, d_memory_, d_model_));
  const bool is_one_input = !x.keys_values.defined();
  Variable qkv =
      is_one_input && !head_norms_
          ? qkv_.of(x.queries, precision)
          : concat_columns(queries(x.queries, precision),
                           side_by_side(is_one_input ? x.queries : x.keys_values, precision));
  const std::int64_t k = query_width_, v = k + key_width_;
  if (rotary_) qkv = rotary_->rotate(qkv, v, positions);
  return {{qkv, 0, k}, {{qkv, k, v}, {qkv, v, v + value_width_}}};
}

void AttentionProjections::require_positions_alike(const Ids& positions) const {
  const std::int64_t reach = rotary_ ? rotary_->positions_alike() : 0;
  if (reach > 0 && !positions->empty() &&
      *std::max_element(positions->begin(), positions->end()) >= reach)
    throw OptionError<DataError>(
        "texts are written up to {} tokens ({}), behind which all positions of this model change",
        reach, as_key("rotary-original-length"));
}

std::int64_t AttentionProjections::rounded_width(std::int64_t width) const {
  return n_key_heads_ * quantized_columns(width / n_key_heads_);
}

// Quantizing keys and values adds little to the error of quantized weights, and takes a quarter of
// the memory and bandwidth per step.
Tensor AttentionProjections::stored(const KeysValues& keys_values) const {
  const auto& [keys, values] = keys_values;
  if (!is_quantized(kv_.weight->value()))
    return keys.of.value().slice_columns(keys.begin, values.end);
  const std::int64_t begin = rounded_width(key_width_), end = begin + rounded_width(value_width_);
  const Tensor rounded = Tensor::empty({keys.of.dim(0), end}, DType::i8);
  backend()->quantize_groups(keys.value(), d_key_, rounded.slice_columns(0, begin));
  backend()->quantize_groups(values.value(), d_value_, rounded.slice_columns(begin, end));
  return rounded;
}

std::int64_t AttentionProjections::stored_values_begin(DType dtype) const {
  return dtype == DType::i8 ? rounded_width(key_width_) : key_width_;
}

}  // namespace attend
