#include "attend/nn/attention/multi_head_attention.h"

#include <algorithm>
#include <utility>

#include "attend/core/options/number_range.h"
#include "attend/core/options/option_error.h"
#include "attend/error.h"
#include "attend/nn/residual_step.h"
#include "attend/ops/losses/alignment_loss.h"
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

std::int32_t last_of(const Ids& positions) {
  return positions->empty() ? 0 : *std::max_element(positions->begin(), positions->end());
}

}  // namespace

MultiHeadAttention::MultiHeadAttention(ParameterSet& parameters, const std::string& path,
                                       const MultiHeadAttentionOptions& options)
    : path_(path),
      options_(with_defaults(options)),
      projections_(parameters, path, options_),
      function_(
          parameters, path,
          {options_.n_heads, options_.n_key_heads, options_.d_key, options_.variant, options_.cap}),
      out_proj_(parameters, path + ".out_proj", options_.n_heads * options_.d_value,
                options_.d_model, options_.biases == AttentionBiases::all) {
  if (options_.relative != nullptr && !function_.is_one_kernel())
    throw OptionError<ConfigError>("positions: relative and alibi need {} dot and {} soft",
                                   as_key("attention-scores"), as_key("attention-choice"));
  if (options_.cap > 0.0f && !function_.is_one_kernel())
    throw OptionError<ConfigError>("{} needs {} dot and {} soft", as_key("attention-cap"),
                                   as_key("attention-scores"), as_key("attention-choice"));
  if (options_.disentangled != nullptr &&
      (options_.n_key_heads != options_.n_heads || options_.rotary ||
       options_.variant.scores != AttentionScores::dot))
    throw OptionError<ConfigError>(
        "{}: disentangled needs {} dot, a head of keys for each of queries, and positions other "
        "than rotary",
        as_key("distance-biases"), as_key("attention-scores"));
}

Variable MultiHeadAttention::self(const SelfAttentionInput& x, const AttentionLayout& layout,
                                  const Ids& positions, Pass& pass) const {
  const auto [queries, keys_values] = projections_.self(x, positions, pass.precision());
  AttentionInputs inputs{queries, keys_values.keys, keys_values.values};
  if (options_.relative != nullptr)
    inputs.distance_bias = options_.relative->biases(longest_sequence(layout.key_offsets));
  AttentionLayout own = layout;
  own.window = options_.window;
  if (options_.disentangled != nullptr) {
    Variable terms = terms_of(inputs, own, pass);
    return attend(inputs, std::move(own), pass, std::move(terms));
  }
  return attend(inputs, std::move(own), pass);
}

Variable MultiHeadAttention::terms_of(const AttentionInputs& x, AttentionLayout layout,
                                      Pass& pass) const {
  const DisentangledPositions& positions = *options_.disentangled;
  const std::int64_t longest = longest_sequence(layout.key_offsets);
  layout.heads = options_.n_heads;
  const auto [queries, keys_values] =
      projections_.self(positions.of_length(longest, pass), {}, pass.precision());
  const auto part = [](const Columns& of) { return slice_columns(of.of, of.begin, of.end); };
  return positions.scores({part(x.q), part(x.k), part(queries), part(keys_values.keys)}, layout,
                          longest);
}

Variable MultiHeadAttention::cross(const Variable& x, const Variable& memory,
                                   const AttentionLayout& layout, Pass& pass) const {
  const auto [keys, values] = projections_.keys_values(memory, pass.precision());
  return attend({projections_.queries(x, pass.precision()), keys, values}, layout, pass);
}

Variable MultiHeadAttention::attend(const AttentionInputs& x, AttentionLayout layout, Pass& pass,
                                    const Variable& terms) const {
  layout.dropout = pass.dropout(options_.dropout);
  layout.precision = pass.precision();
  keep_inputs(x, layout, terms, pass);
  Tensor weights;
  const bool is_shown = pass.attention != nullptr || pass.keeps(path_);
  Variable heads = function_.forward(x, layout, is_shown ? &weights : nullptr, terms);
  if (pass.guide != nullptr && pass.guide->module == path_)
    heads = beside_loss(heads, alignment_loss(function_.first_head_weights(x, layout),
                                              pass.guide->places, pass.guide->factor));
  if (pass.attention != nullptr) pass.attention->push_back({path_, options_.n_heads, weights});
  const Variable y = out_proj_.forward(heads, pass);
  if (is_shown) pass.keep(path_, "weights", Variable(weights), options_.n_heads);
  pass.keep(path_, "heads", heads, options_.n_heads);
  pass.keep(path_, "output", y);
  if (pass.residual != nullptr)
    pass.residual->push_back(
        {path_, y.value(), ResidualStep::Heads{options_.n_heads, heads.value(), out_proj_.map()}});
  return y;
}

void MultiHeadAttention::keep_inputs(const AttentionInputs& x, const AttentionLayout& layout,
                                     const Variable& terms, const Pass& pass) const {
  if (!pass.keeps(path_)) return;
  const auto keep = [&](const char* name, const Columns& part, int heads) {
    pass.keep(path_, name, Variable(part.value()), heads);
  };
  keep("queries", x.q, options_.n_heads);
  keep("keys", x.k, options_.n_key_heads);
  keep("values", x.v, options_.n_key_heads);
  pass.keep(path_, "scores", Variable(function_.scores(x, layout, terms)), options_.n_heads);
}

Tensor MultiHeadAttention::project_memory(const Variable& memory) const {
  return projections_.stored(projections_.keys_values(memory));
}

Variable MultiHeadAttention::self_cached(const SelfAttentionInput& x, KVCache& cache,
                                         int layer) const {
  projections_.require_positions_alike(cache.positions());
  const auto [queries, keys_values] = projections_.self(x, cache.positions());
  cache.append(layer, projections_.stored(keys_values));
  DistanceBias bias;
  if (options_.relative != nullptr)
    bias.table = options_.relative->biases(last_of(cache.positions()) + 1).value();
  return attend_cached(queries.value(), cache.view(layer, options_.window), bias);
}

Variable MultiHeadAttention::cross_cached(const Variable& x, const KeyRows& keys_values) const {
  return attend_cached(projections_.queries(x).value(), keys_values, {});
}

Variable MultiHeadAttention::attend_cached(const Tensor& queries, const KeyRows& keys_values,
                                           const DistanceBias& bias) const {
  const Tensor heads =
      function_.cached(queries, keys_values, projections_.stored_values_begin(keys_values.dtype()),
                       options_.n_heads * options_.d_value, bias);
  return out_proj_.forward(Variable(heads), Pass::inference());
}

}  // namespace attend
