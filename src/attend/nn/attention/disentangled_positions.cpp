#include "attend/nn/attention/disentangled_positions.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <vector>

#include "attend/core/options/option_error.h"
#include "attend/error.h"
#include "attend/ops/attention/attention_parts.h"
#include "attend/ops/elementwise.h"
#include "attend/ops/embedding.h"
#include "attend/ops/slices.h"

namespace attend {

// In f32, as PyTorch computes it: the logarithm is rounded up.
std::int32_t disentangled_bucket(std::int64_t distance, const RelativeOptions& options) {
  const std::int64_t span = options.buckets / 2, exact = span / 2, size = std::abs(distance);
  std::int64_t bucket = size;
  if (size > exact) {
    const float middle = static_cast<float>(exact);
    const float most = std::log(static_cast<float>(options.distance - 1) / middle);
    const float share = std::log(static_cast<float>(size) / middle) / most;
    bucket = static_cast<std::int64_t>(std::ceil(share * static_cast<float>(exact - 1))) + exact;
  }
  bucket = distance < 0 ? -bucket : bucket;
  return static_cast<std::int32_t>(std::clamp<std::int64_t>(bucket + span, 0, 2 * span - 1));
}

DisentangledPositions::DisentangledPositions(ParameterSet& parameters, const std::string& path,
                                             const Options& options)
    : options_(options),
      table_(parameters.add(path + ".weight", {options.relative.buckets, options.width},
                            {Init::Kind::normal, 0.02f})),
      norm_(parameters, path + ".norm", options.width, options.norm) {
  if (options.relative.distance <= options.relative.buckets / 4 + 1)
    throw OptionError<ConfigError>("{}: expected more than a quarter of {} {}, plus one, got {}",
                                   as_key("relative-distance"), as_key("relative-buckets"),
                                   options.relative.buckets, options.relative.distance);
}

std::int32_t DisentangledPositions::first_of(std::int64_t length) const {
  return disentangled_bucket(1 - std::max<std::int64_t>(length, 1), options_.relative);
}

Variable DisentangledPositions::of_length(std::int64_t length, Pass& pass) const {
  const std::int32_t first = first_of(length),
                     last = disentangled_bucket(length - 1, options_.relative);
  std::vector<std::int32_t> rows;
  for (std::int32_t row = first; row <= last; ++row) rows.push_back(row);
  return dropout(norm_.forward(gather_rows(*table_, rows)), pass.dropout(options_.dropout));
}

namespace {

// For each pair of the layout, the element of a [H, N, K] block of scores of all tokens with all
// buckets, of the query and of the key of the pair.
struct PairElements {
  std::vector<std::int32_t> of_query, of_key;
};

PairElements elements_of_pairs(const AttentionLayout& layout, std::int64_t tokens,
                               std::int64_t buckets, std::span<const std::int32_t> bucket_of) {
  const auto longest = static_cast<std::int64_t>(bucket_of.size() + 1) / 2;
  PairElements elements;
  const auto& offsets = *layout.query_offsets;
  for (std::size_t b = 0; b + 1 < offsets.size(); ++b) {
    for (std::int64_t head = 0; head < layout.heads; ++head) {
      for (std::int64_t i = offsets[b]; i < offsets[b + 1]; ++i) {
        for (std::int64_t j = offsets[b]; j < offsets[b + 1]; ++j) {
          const std::int64_t bucket = bucket_of[static_cast<std::size_t>(longest - 1 + i - j)];
          const std::int64_t row = head * tokens;
          elements.of_query.push_back(static_cast<std::int32_t>((row + i) * buckets + bucket));
          elements.of_key.push_back(static_cast<std::int32_t>((row + j) * buckets + bucket));
        }
      }
    }
  }
  return elements;
}

// Some elements of the products of all rows of x and y, head by head.
Variable chosen_products(const Variable& x, const Variable& y, int heads,
                         std::vector<std::int32_t> elements) {
  AttentionLayout all;
  all.query_offsets = Ids{0, static_cast<std::int32_t>(x.dim(0))};
  all.key_offsets = Ids{0, static_cast<std::int32_t>(y.dim(0))};
  all.heads = heads;
  const Variable products = attention_scores(x, y, all);
  const auto count = static_cast<std::int64_t>(elements.size());
  return reshape(gather_rows(reshape(products, {products.shape().size(), 1}), std::move(elements)),
                 {count});
}

}  // namespace

Variable DisentangledPositions::scores(const Projected& of, const AttentionLayout& layout,
                                       std::int64_t length) const {
  const std::int64_t tokens = of.queries.dim(0), buckets = of.position_keys.dim(0);
  if (layout.heads * tokens * buckets > std::numeric_limits<std::int32_t>::max())
    throw ShapeError(fmt::format(
        "[disentangled_positions] {} heads, {} tokens and {} buckets are too many; use smaller "
        "batches",
        layout.heads, tokens, buckets));
  const std::int32_t first = first_of(length);
  std::vector<std::int32_t> bucket_of;
  for (std::int64_t distance = 1 - length; distance < length; ++distance)
    bucket_of.push_back(disentangled_bucket(distance, options_.relative) - first);
  PairElements elements = elements_of_pairs(layout, tokens, buckets, bucket_of);
  return add(
      chosen_products(of.queries, of.position_keys, layout.heads, std::move(elements.of_query)),
      chosen_products(of.keys, of.position_queries, layout.heads, std::move(elements.of_key)));
}

}  // namespace attend
