#include "attend/nn/simple_recurrent_unit.h"

#include "attend/nn/residual_step.h"
#include "attend/ops/elementwise.h"
#include "attend/ops/ssru.h"

namespace attend {

SimpleRecurrentUnit::SimpleRecurrentUnit(ParameterSet& parameters, const std::string& path,
                                         std::int64_t width)
    : path_(path),
      value_(parameters, path + ".value", width, width, /*bias=*/false),
      gate_(parameters, path + ".gate", width, width) {}

Variable SimpleRecurrentUnit::states(const Variable& x, const Ids& offsets, const Tensor& before,
                                     const Pass& pass) const {
  return ssru(value_.forward(x, pass), gate_.forward(x, pass), offsets, before);
}

Variable SimpleRecurrentUnit::self(const SelfAttentionInput& x, const AttentionLayout& layout,
                                   const Ids&, Pass& pass) const {
  const Variable y = activate(states(x.queries, layout.query_offsets, {}, pass), Activation::relu);
  if (pass.residual != nullptr) pass.residual->push_back({.module = path_, .added = y.value()});
  pass.keep(path_, "output", y);
  return y;
}

Variable SimpleRecurrentUnit::self_cached(const SelfAttentionInput& x, KVCache& cache,
                                          int layer) const {
  const Tensor before = cache.last_rows(layer, x.queries.value().cols());
  const Variable c = states(x.queries, cache.new_offsets(), before, Pass::inference());
  cache.append(layer, c.value());
  return activate(c, Activation::relu);
}

}  // namespace attend
