#include "attend/ops/feed_forward.h"

#include <algorithm>

#include "attend/backend/backend.h"
#include "attend/backend/weights.h"
#include "attend/ops/check.h"
#include "attend/ops/kept_input.h"
#include "attend/ops/row_blocks.h"

namespace attend {

namespace {

// Rows per block of inner activations that are not kept: a multiple of kSumBlock, so that gradients
// equal those of all rows at once.
std::int64_t rows_at_a_time(std::int64_t width) {
  return std::max(backend()->block_sizes().inner_numbers / width / kSumBlock, std::int64_t{1}) *
         kSumBlock;
}

// GEMMs round it anyway, so it is kept in bf16: half the memory.
DType kept_type(Precision precision) {
  return precision == Precision::bf16 ? DType::bf16 : DType::f32;
}

// Converts to the kept type, and back to f32.
Tensor narrowed(const Tensor& x, Precision precision) {
  if (precision == Precision::f32) return x;
  const Tensor kept = Tensor::empty(x.shape(), kept_type(precision));
  backend()->convert(x, kept);
  return kept;
}

Tensor widened(const Tensor& kept) {
  if (kept.dtype() == DType::f32) return kept;
  const Tensor x = Tensor::empty(kept.shape());
  backend()->convert(kept, x);
  return x;
}

// The input of the first GEMM, for its gradient.
SavedTensor kept_input(const Variable& x, Precision precision) {
  const SavedTensor kept = detail::kept_input(x, precision);
  return kept.is_computed_again() ? kept : SavedTensor(narrowed(x.value(), precision));
}

// `from` is the shape of the input, [N, width].
void check(const AffineMap& map, const Shape& from, std::int64_t width, const char* shapes) {
  detail::expect(detail::is_matrix(map.weight) && weight_columns(map.weight.value()) == width,
                 "feed_forward", shapes, from, map.weight.shape());
  if (map.bias.defined())
    detail::expect(map.bias.shape() == Shape{map.weight.dim(0)}, "feed_forward",
                   "weight [O, I] and bias [O]", map.weight.shape(), map.bias.shape());
}

void check(const Variable& x, const AffineMap& inner, const AffineMap& outer,
           const AffineMap& gate) {
  detail::expect_matrix("feed_forward", x);
  check(inner, x.shape(), x.dim(1), "x [N, I] and inner weight [F, I]");
  check(outer, inner.weight.shape(), inner.weight.dim(0),
        "inner weight [F, I] and outer weight [O, F]");
  if (!gate.weight.defined()) return;
  check(gate, x.shape(), x.dim(1), "x [N, I] and gate weight [F, I]");
  detail::expect(gate.weight.dim(0) == inner.weight.dim(0), "feed_forward",
                 "inner and gate weights [F, I]", inner.weight.shape(), gate.weight.shape());
}

// The hidden vectors h = dropout(f(z) g). Of z and f(z) one is kept.
struct Hidden {
  Activation activation;
  Dropout dropout;
  bool keeps_z;  // else f(z), from which f' follows

  // f(z)
  Tensor activated(const Tensor& kept) const {
    if (!keeps_z) return kept;
    const Tensor f = Tensor::empty(kept.shape());
    backend()->activate(activation, kept, f);
    return f;
  }
  // h. Without a gate g it may take the place of an f that is not kept.
  Tensor value(const Tensor& f, const Tensor& g) const {
    const bool gated = g.defined(), drops = dropout.p > 0.0f;
    const Tensor h = gated || (drops && !keeps_z) ? Tensor::empty(f.shape()) : f;
    if (gated) backend()->multiply(f, g, h);
    if (drops) backend()->dropout(dropout, gated ? h : f, h);
    return h;
  }
};

// The backward pass of y = x W^T + b.
struct MapGradient {
  explicit MapGradient(const AffineMap& map)
      : weight(map.weight.value()), dweight(map.weight.sink()), dbias(map.bias.sink()) {}

  bool needed() const { return dweight.needed() || dbias.needed(); }
  // dW += dy^T x,  db += sum_n dy[n]
  void add(const Tensor& dy, const Tensor& x, Precision precision) const {
    if (dweight.needed()) {
      const auto [buffer, beta] = dweight.target();
      backend()->matmul(dy, x, {.transpose_a = true, .beta = beta, .precision = precision}, buffer);
    }
    if (dbias.needed()) {
      const auto [buffer, beta] = dbias.target();
      backend()->sum_rows(dy, beta, buffer);
    }
  }

  Tensor weight;
  GradientSink dweight, dbias;
};

// The gradient function of the network with all that it needs.
struct FeedForwardGradient {
  SavedTensor x;
  Tensor kept_inner, kept_gate;
  Hidden hidden;
  Precision precision;
  std::int64_t at_a_time;
  MapGradient inner, outer, gate;
  GradientSink dx;

  // dh = dropout(dy W2),  dz = dh g f'(z),  dg = dh f(z),  dx = dz W1 + dg V
  void operator()(const Tensor& all_dy) const {
    const GradientSink::Target to = dx.needed() ? dx.target() : GradientSink::Target{};
    const Tensor all_x = x.value();
    const bool gated = kept_gate.defined();
    detail::for_row_blocks(all_x.rows(), at_a_time, [&](std::int64_t begin, std::int64_t end) {
      const Tensor dy = all_dy.slice_rows(begin, end);
      const Tensor kept = widened(kept_inner.slice_rows(begin, end)),
                   g = gated ? widened(kept_gate.slice_rows(begin, end)) : Tensor();
      const Tensor f = gated || outer.dweight.needed() ? hidden.activated(kept) : Tensor();
      outer.add(dy, outer.dweight.needed() ? hidden.value(f, g) : Tensor(), precision);
      if (!dx.needed() && !inner.needed() && !gate.needed()) return;

      const Tensor dh = Tensor::empty(kept.shape()), dz = gated ? Tensor::empty(kept.shape()) : dh;
      backend()->matmul(dy, outer.weight, {.precision = precision}, dh);
      if (hidden.dropout.p > 0.0f) backend()->dropout(hidden.dropout, dh, dh);
      if (gated) backend()->multiply(dh, g, dz);
      if (hidden.activation != Activation::none)
        backend()->activate_backward(hidden.activation, kept, dz, dz);
      const Tensor input = widened(all_x.slice_rows(begin, end));
      const auto pass = [&](const Tensor& d, const MapGradient& map, float beta) {
        map.add(d, input, precision);
        if (dx.needed())
          backend()->matmul(d, map.weight, {.beta = beta, .precision = precision},
                            to.buffer.slice_rows(begin, end));
      };
      pass(dz, inner, to.beta);
      if (!gated) return;
      const Tensor& dg = dh;
      backend()->multiply(dh, f, dg);
      pass(dg, gate, 1.0f);
    });
  }
};

}  // namespace

Variable feed_forward(const Variable& x, const AffineMap& inner, const AffineMap& outer,
                      const HiddenLayer& layer, const AffineMap& gate) {
  check(x, inner, outer, gate);
  detail::expect_probability("feed_forward", layer.dropout);
  const std::initializer_list<const Variable*> inputs = {
      &x, &inner.weight, &inner.bias, &gate.weight, &gate.bias, &outer.weight, &outer.bias};
  const bool recording = will_record(inputs), gated = gate.weight.defined();
  const Precision precision = layer.precision;
  const Hidden hidden{layer.activation, layer.dropout,
                      recording && !slope_is_of_value(layer.activation)};
  const std::int64_t rows = x.dim(0), width = inner.weight.dim(0);
  const Shape kept_shape{recording ? rows : 0, width};
  const Tensor kept_inner = Tensor::empty(kept_shape, kept_type(precision)),
               kept_gate = gated ? Tensor::empty(kept_shape, kept_type(precision)) : Tensor();
  const Tensor y = Tensor::empty({rows, outer.weight.dim(0)});
  // Masks count elements from the first row.
  const std::int64_t at_a_time =
      layer.dropout.p > 0.0f ? std::max<std::int64_t>(rows, 1) : rows_at_a_time(width);

  // z = x W1^T + b1,  g = x V^T + c,  h = dropout(f(z) g),  y = h W2^T + b2
  detail::for_row_blocks(rows, at_a_time, [&](std::int64_t begin, std::int64_t end) {
    const auto mapped = [&](const AffineMap& map, Activation activation, const Tensor& kept) {
      const bool in_place = recording && kept.dtype() == DType::f32;
      const Tensor part =
          in_place ? kept.slice_rows(begin, end) : Tensor::empty({end - begin, width});
      backend()->linear(x.value().slice_rows(begin, end), map.weight.value(), map.bias.value(),
                        {activation, precision}, part);
      if (recording && !in_place) backend()->convert(part, kept.slice_rows(begin, end));
      return part;
    };
    const Tensor z =
        mapped(inner, hidden.keeps_z ? Activation::none : layer.activation, kept_inner);
    const Tensor g = gated ? mapped(gate, Activation::none, kept_gate) : Tensor();
    backend()->linear(hidden.value(hidden.activated(z), g), outer.weight.value(),
                      outer.bias.value(), {.precision = precision}, y.slice_rows(begin, end));
  });
  return record(
      y, inputs,
      FeedForwardGradient{recording ? kept_input(x, precision) : SavedTensor(), kept_inner,
                          kept_gate, hidden, precision, at_a_time, MapGradient(inner),
                          MapGradient(outer), MapGradient(gate), x.sink()});
}

}  // namespace attend
