// Differentiable functions on tensors.
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <cmath>

#include "attend/models/stack/stack_config.h"
#include "attend/ops/attention/attention.h"
#include "attend/ops/elementwise.h"
#include "attend/ops/embedding.h"
#include "attend/ops/layer_norm.h"
#include "attend/ops/linear.h"
#include "attend/ops/losses/cross_entropy.h"
#include "attend/ops/softmax.h"
#include "attend/python/module.h"

namespace nb = nanobind;

namespace attend {

namespace {

using Integers = std::vector<std::int32_t>;

Variable or_undefined(const std::optional<Variable>& x) { return x.value_or(Variable()); }

Variable ragged_attention(const Variable& q, const Variable& k, const Variable& v,
                          const Integers& query_offsets, const Integers& key_offsets, int heads,
                          bool causal) {
  const auto width = static_cast<float>(q.value().cols()) / static_cast<float>(heads);
  return scaled_dot_product_attention({q, k, v}, {.query_offsets = query_offsets,
                                                  .key_offsets = key_offsets,
                                                  .causal = causal,
                                                  .heads = heads,
                                                  .scale = 1 / std::sqrt(width)});
}

Variable token_loss(const Variable& logits, const Integers& targets, float label_smoothing) {
  return cross_entropy(logits, targets, {.label_smoothing = label_smoothing}).loss;
}

}  // namespace

void add_ops(nb::module_& module) {
  using OneOp = nb::call_guard<nb::gil_scoped_release>;
  for (const Activation one :
       {Activation::relu, Activation::gelu, Activation::tanh, Activation::swish})
    module.def(
        enum_names(one)[static_cast<std::size_t>(one)].data(),
        [one](const Variable& x) { return activate(x, one); }, nb::arg("x"), OneOp());
  module.def(
      "linear",
      [](const Variable& x, const Variable& weight, const std::optional<Variable>& bias) {
        return linear(x, weight, or_undefined(bias));
      },
      nb::arg("x"), nb::arg("weight"), nb::arg("bias").none() = nb::none(), OneOp());
  module.def(
      "layer_norm",
      [](const Variable& x, const Variable& weight, const std::optional<Variable>& bias,
         float epsilon) {
        return layer_norm(x, {weight, or_undefined(bias), epsilon});
      },
      nb::arg("x"), nb::arg("weight"), nb::arg("bias").none() = nb::none(),
      nb::arg("epsilon") = 1e-5f, OneOp());
  module.def("softmax", &softmax, nb::arg("x"), nb::arg("scale") = 1.0f, OneOp());
  module.def("log_softmax", &log_softmax, nb::arg("x"), OneOp());
  module.def("sum", &sum, nb::arg("x"), OneOp());
  module.def(
      "dropout",
      [](const Variable& x, float p, std::uint64_t seed, std::uint64_t stream) {
        return dropout(x, {p, {seed, stream}});
      },
      nb::arg("x"), nb::arg("p"), nb::arg("seed"), nb::arg("stream") = 0, OneOp());
  module.def(
      "embedding",
      [](const Variable& table, const Integers& ids, float scale) {
        return embedding(table, ids, scale);
      },
      nb::arg("table"), nb::arg("ids"), nb::arg("scale") = 1.0f, OneOp());
  module.def("attention", ragged_attention, nb::arg("q"), nb::arg("k"), nb::arg("v"),
             nb::arg("query_offsets"), nb::arg("key_offsets"), nb::arg("heads") = 1,
             nb::arg("causal") = false, OneOp());
  module.def("cross_entropy", token_loss, nb::arg("logits"), nb::arg("targets"),
             nb::arg("label_smoothing") = 0.0f, OneOp());
}

}  // namespace attend
