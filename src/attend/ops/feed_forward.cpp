#include "attend/ops/feed_forward.h"

#include <algorithm>

#include "attend/backend/backend.h"
#include "attend/backend/weights.h"
#include "attend/ops/check.h"
#include "attend/ops/kept_input.h"

namespace attend {

namespace {

// Rows per block of inner activations that are not kept: a multiple of kSumBlock, so that gradients
// equal those of all rows at once.
std::int64_t rows_at_a_time(std::int64_t width) {
  return std::max(backend()->block_sizes().inner_numbers / width / kSumBlock, std::int64_t{1}) *
         kSumBlock;
}

// Calls use(begin, end) for blocks of the rows of a tensor; once if there are no rows, because
// their gradients are zeros.
template <class Use>
void for_rows(std::int64_t rows, std::int64_t at_a_time, const Use& use) {
  std::int64_t begin = 0;
  do {
    use(begin, std::min(begin + at_a_time, rows));
    begin += at_a_time;
  } while (begin < rows);
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

// Adds the gradients of y = x W^T + b to those of W and b.
void add_gradients(const Tensor& dy, const Tensor& x, const GradientSink& dweight,
                   const GradientSink& dbias, Precision precision) {
  if (dweight.needed()) {
    const auto [buffer, beta] = dweight.target();
    backend()->matmul(dy, x, {.transpose_a = true, .beta = beta, .precision = precision}, buffer);
  }
  if (dbias.needed()) {
    const auto [buffer, beta] = dbias.target();
    backend()->sum_rows(dy, beta, buffer);
  }
}

}  // namespace

Variable feed_forward(const Variable& x, const AffineMap& inner, const AffineMap& outer,
                      const HiddenLayer& hidden_layer) {
  const Activation activation = hidden_layer.activation;
  const Dropout dropout = hidden_layer.dropout;
  const Precision precision = hidden_layer.precision;
  detail::expect_matrix("feed_forward", x);
  check(inner, x.shape(), x.dim(1), "x [N, I] and inner weight [F, I]");
  check(outer, inner.weight.shape(), inner.weight.dim(0),
        "inner weight [F, I] and outer weight [O, F]");
  detail::expect_probability("feed_forward", dropout);

  // z = x W1^T + b1,   h = dropout(f(z)),   y = h W2^T + b2. Keeps z, or f(z) if f' follows from
  // it.
  const bool recording = will_record({&x, &inner.weight, &inner.bias, &outer.weight, &outer.bias});
  const bool keeps_z = !slope_is_of_value(activation) && recording;
  const auto hidden = [keeps_z, activation, dropout](const Tensor& kept) {
    Tensor h = kept;
    if (keeps_z) {
      h = Tensor::empty(kept.shape());
      backend()->activate(activation, kept, h);
    }
    if (dropout.p > 0.0f) {
      const Tensor dropped = keeps_z ? h : Tensor::empty(kept.shape());
      backend()->dropout(dropout, h, dropped);
      h = dropped;
    }
    return h;
  };
  const std::int64_t width = inner.weight.dim(0);
  const Tensor kept = Tensor::empty({recording ? x.dim(0) : 0, width}, kept_type(precision));
  const Tensor y = Tensor::empty({x.dim(0), outer.weight.dim(0)});
  // Masks count elements from the first row.
  const std::int64_t at_a_time =
      dropout.p > 0.0f ? std::max<std::int64_t>(x.dim(0), 1) : rows_at_a_time(width);
  const LinearOptions of_inner{keeps_z ? Activation::none : activation, precision};
  for_rows(x.dim(0), at_a_time, [&](std::int64_t begin, std::int64_t end) {
    const bool in_place = recording && kept.dtype() == DType::f32;
    const Tensor part =
        in_place ? kept.slice_rows(begin, end) : Tensor::empty({end - begin, width});
    backend()->linear(x.value().slice_rows(begin, end), inner.weight.value(), inner.bias.value(),
                      of_inner, part);
    if (recording && !in_place) backend()->convert(part, kept.slice_rows(begin, end));
    backend()->linear(hidden(part), outer.weight.value(), outer.bias.value(),
                      {.precision = precision}, y.slice_rows(begin, end));
  });

  // dW2 = dy^T h,   db2 = sum_n dy[n],   dz = dropout(dy W2) f'(z),   dW1 = dz^T x,   db1 = sum_n
  // dz[n],   dx = dz W1
  return record(
      y, {&x, &inner.weight, &inner.bias, &outer.weight, &outer.bias},
      [x = recording ? kept_input(x, precision) : SavedTensor(), kept, hidden, activation, dropout,
       precision, at_a_time, w1 = inner.weight.value(), w2 = outer.weight.value(), dx = x.sink(),
       dw1 = inner.weight.sink(), db1 = inner.bias.sink(), dw2 = outer.weight.sink(),
       db2 = outer.bias.sink()](const Tensor& all_dy) {
        const GradientSink::Target to = dx.needed() ? dx.target() : GradientSink::Target{};
        const Tensor input = x.value();
        for_rows(input.rows(), at_a_time, [&](std::int64_t begin, std::int64_t end) {
          const Tensor dy = all_dy.slice_rows(begin, end), z = widened(kept.slice_rows(begin, end));
          add_gradients(dy, dw2.needed() ? hidden(z) : Tensor(), dw2, db2, precision);
          if (!dx.needed() && !dw1.needed() && !db1.needed()) return;
          const Tensor dz = Tensor::empty(z.shape());
          backend()->matmul(dy, w2, {.precision = precision}, dz);
          if (dropout.p > 0.0f) backend()->dropout(dropout, dz, dz);
          if (activation != Activation::none) backend()->activate_backward(activation, z, dz, dz);
          add_gradients(dz, widened(input.slice_rows(begin, end)), dw1, db1, precision);
          if (!dx.needed()) return;
          backend()->matmul(dz, w1, {.beta = to.beta, .precision = precision},
                            to.buffer.slice_rows(begin, end));
        });
      });
}

namespace {

// The hidden layer of a gated network, for rows z = inner(x) and g = gate(x).
struct GatedHidden {
  Activation activation;
  Dropout dropout;

  // f(z)
  Tensor activated(const Tensor& z) const {
    const Tensor f = Tensor::empty(z.shape());
    backend()->activate(activation, z, f);
    return f;
  }
  // h = dropout(f(z) g)
  Tensor value(const Tensor& f, const Tensor& g) const {
    const Tensor h = Tensor::empty(f.shape());
    backend()->multiply(f, g, h);
    if (dropout.p > 0.0f) backend()->dropout(dropout, h, h);
    return h;
  }
};

// Adds dz W to dx, or writes it there.
void add_input_gradient(const Tensor& dz, const Tensor& weight, float beta, Precision precision,
                        const Tensor& dx) {
  backend()->matmul(dz, weight, {.beta = beta, .precision = precision}, dx);
}

}  // namespace

Variable gated_feed_forward(const Variable& x, const GatedMaps& maps,
                            const HiddenLayer& hidden_layer) {
  const AffineMap &inner = maps.inner, &gate = maps.gate, &outer = maps.outer;
  const Precision precision = hidden_layer.precision;
  const GatedHidden hidden{hidden_layer.activation, hidden_layer.dropout};
  detail::expect_matrix("gated_feed_forward", x);
  check(inner, x.shape(), x.dim(1), "x [N, I] and inner weight [F, I]");
  check(gate, x.shape(), x.dim(1), "x [N, I] and gate weight [F, I]");
  check(outer, inner.weight.shape(), inner.weight.dim(0),
        "inner weight [F, I] and outer weight [O, F]");
  detail::expect(gate.weight.dim(0) == inner.weight.dim(0), "gated_feed_forward",
                 "inner and gate weights [F, I]", inner.weight.shape(), gate.weight.shape());
  detail::expect_probability("gated_feed_forward", hidden.dropout);

  const std::initializer_list<const Variable*> inputs = {
      &x, &inner.weight, &inner.bias, &gate.weight, &gate.bias, &outer.weight, &outer.bias};
  const bool recording = will_record(inputs);
  const std::int64_t width = inner.weight.dim(0), kept_rows = recording ? x.dim(0) : 0;
  const Tensor kept_z = Tensor::empty({kept_rows, width}, kept_type(precision)),
               kept_g = Tensor::empty({kept_rows, width}, kept_type(precision));
  const Tensor y = Tensor::empty({x.dim(0), outer.weight.dim(0)});
  // Masks count elements from the first row on.
  const std::int64_t at_a_time =
      hidden.dropout.p > 0.0f ? std::max<std::int64_t>(x.dim(0), 1) : rows_at_a_time(width);
  const LinearOptions plain{.precision = precision};
  for_rows(x.dim(0), at_a_time, [&](std::int64_t begin, std::int64_t end) {
    const Tensor part = x.value().slice_rows(begin, end);
    const auto mapped = [&](const AffineMap& map, const Tensor& kept) {
      const Tensor z = Tensor::empty({end - begin, width});
      backend()->linear(part, map.weight.value(), map.bias.value(), plain, z);
      if (!recording) return z;
      if (kept.dtype() == DType::f32) {
        kept.slice_rows(begin, end).copy_from(z);
      } else {
        backend()->convert(z, kept.slice_rows(begin, end));
      }
      return z;
    };
    const Tensor z = mapped(inner, kept_z), g = mapped(gate, kept_g);
    backend()->linear(hidden.value(hidden.activated(z), g), outer.weight.value(),
                      outer.bias.value(), plain, y.slice_rows(begin, end));
  });

  // h = mask f(z) g,   dh = mask dy W2,   dz = dh g f'(z),   dg = dh f(z),   dx = dz W1 + dg V
  return record(
      y, inputs,
      [x = recording ? kept_input(x, precision) : SavedTensor(), kept_z, kept_g, hidden, precision,
       at_a_time, w1 = inner.weight.value(), v = gate.weight.value(), w2 = outer.weight.value(),
       dx = x.sink(), dw1 = inner.weight.sink(), db1 = inner.bias.sink(), dv = gate.weight.sink(),
       dc = gate.bias.sink(), dw2 = outer.weight.sink(),
       db2 = outer.bias.sink()](const Tensor& all_dy) {
        const GradientSink::Target to = dx.needed() ? dx.target() : GradientSink::Target{};
        const Tensor input = x.value();
        for_rows(input.rows(), at_a_time, [&](std::int64_t begin, std::int64_t end) {
          const Tensor dy = all_dy.slice_rows(begin, end);
          const Tensor z = widened(kept_z.slice_rows(begin, end)),
                       g = widened(kept_g.slice_rows(begin, end)), f = hidden.activated(z);
          add_gradients(dy, dw2.needed() ? hidden.value(f, g) : Tensor(), dw2, db2, precision);
          const Tensor dh = Tensor::empty(z.shape()), dz = Tensor::empty(z.shape());
          backend()->matmul(dy, w2, {.precision = precision}, dh);
          if (hidden.dropout.p > 0.0f) backend()->dropout(hidden.dropout, dh, dh);
          backend()->multiply(dh, g, dz);
          const Activation activation = hidden.activation;
          const Tensor& of_slope = slope_is_of_value(activation) ? f : z;
          if (activation != Activation::none)
            backend()->activate_backward(activation, of_slope, dz, dz);
          const Tensor dg = Tensor::empty(z.shape());
          backend()->multiply(dh, f, dg);
          const Tensor part_of_input = widened(input.slice_rows(begin, end));
          add_gradients(dz, part_of_input, dw1, db1, precision);
          add_gradients(dg, part_of_input, dv, dc, precision);
          if (!dx.needed()) return;
          const Tensor part = to.buffer.slice_rows(begin, end);
          add_input_gradient(dz, w1, to.beta, precision, part);
          add_input_gradient(dg, v, 1.0f, precision, part);
        });
      });
}

}  // namespace attend
