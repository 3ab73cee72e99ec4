#include "attend/nn/attention/additive_attention.h"

#include <utility>

namespace attend {

namespace {

AttentionFunctionOptions function_options(const AdditiveAttentionOptions& options) {
  AttentionVariant variant = options.variant;
  if (variant.scores == AttentionScores::standard) variant.scores = AttentionScores::additive;
  return {1, 1, options.d_hidden, variant};
}

}  // namespace

AdditiveAttention::AdditiveAttention(ParameterSet& parameters, const std::string& path,
                                     const AdditiveAttentionOptions& options)
    : query_proj_(parameters, path + ".query_proj", options.d_query, options.d_hidden,
                  /*bias=*/false),
      key_proj_(parameters, path + ".key_proj", options.d_memory, options.d_hidden),
      function_(parameters, path, function_options(options)) {}

AdditiveAttention::Memory AdditiveAttention::project_memory(const Variable& memory,
                                                            const Pass& pass) const {
  return {memory, key_proj_.forward(memory, pass)};
}

Variable AdditiveAttention::forward(const Variable& query, const Memory& memory,
                                    AttentionLayout layout, const Pass& pass,
                                    Tensor* weights) const {
  layout.precision = pass.precision();
  return function_.forward({query_proj_.forward(query, pass), memory.keys, memory.values},
                           std::move(layout), weights);
}

}  // namespace attend
