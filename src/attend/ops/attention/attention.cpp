#include "attend/ops/attention/attention.h"

#include <algorithm>
#include <array>
#include <limits>

#include "attend/ops/attention/attention_layout.h"
#include "attend/ops/check.h"

namespace attend {

namespace {

constexpr std::string_view kOp = "scaled_dot_product_attention";

void check(const AttentionInputs& x, const AttentionLayout& layout) {
  const auto& [q, k, v, bias] = x;
  detail::expect(detail::is_matrix(q.of) && detail::is_matrix(k.of), kOp,
                 "q [N, H*Dh] and k [M, H*Dh]", q.of.shape(), k.of.shape());
  detail::expect(detail::is_matrix(v.of), kOp, "k [M, H*Dh] and v [M, H*Dv]", k.of.shape(),
                 v.of.shape());
  const Shape qs = q.value().shape(), ks = k.value().shape(), vs = v.value().shape();
  detail::expect(qs[1] == ks[1], kOp, "q [N, H*Dh] and k [M, H*Dh]", qs, ks);
  detail::expect(ks[0] == vs[0], kOp, "k [M, H*Dh] and v [M, H*Dv]", ks, vs);
  detail::expect(layout.heads >= 1 && qs[1] % layout.heads == 0 && vs[1] % layout.heads == 0, kOp,
                 fmt::format("q [N, H*Dh] and v [M, H*Dv] with {} heads", layout.heads), qs, vs);
  detail::expect_probability(kOp, layout.dropout);
  detail::check_layout(kOp, layout, qs, ks);
  if (bias.defined() &&
      (!detail::is_matrix(bias) || bias.dim(0) % 2 == 0 || bias.dim(1) != layout.heads))
    throw ShapeError(fmt::format("[{}] expected biases by distance [2R+1, {}], got {}", kOp,
                                 layout.heads, to_string(bias.shape())));
}

// The gradients of column ranges. Parts of one variable are written into one shared buffer; if a
// gradient arrived earlier, they are computed separately and added.
class ColumnGradients {
 public:
  struct Part {
    GradientSink sink;
    Shape whole;  // of the variable
    std::int64_t begin, end;
  };

  explicit ColumnGradients(const std::array<Part, 3>& parts) : parts_(parts) {
    for (std::size_t i = 0; i < parts_.size(); ++i) {
      const std::size_t first = first_of_same(i);
      if (first == i) {
        buffers_[i] = covered(i) ? Tensor::empty(parts_[i].whole) : Tensor::zeros(parts_[i].whole);
      } else {
        buffers_[i] = buffers_[first];
      }
    }
  }

  Tensor part(std::size_t i) const {
    return buffers_[i].slice_columns(parts_[i].begin, parts_[i].end);
  }

  void send() const {
    for (std::size_t i = 0; i < parts_.size(); ++i) {
      if (parts_[i].sink.needed() && first_of_same(i) == i) parts_[i].sink.add(buffers_[i]);
    }
  }

 private:
  // Parts of one variable share a buffer unless they overlap (K = V, for example); then each has
  // its own and the sink adds them.
  bool same(std::size_t i, std::size_t j) const {
    return i == j ||
           (parts_[i].sink.needed() && parts_[i].sink == parts_[j].sink && apart(parts_[i].sink));
  }
  bool apart(const GradientSink& sink) const {
    for (std::size_t i = 0; i < parts_.size(); ++i) {
      for (std::size_t j = 0; j < i; ++j) {
        const bool both = parts_[i].sink == sink && parts_[j].sink == sink;
        if (both && parts_[i].begin < parts_[j].end && parts_[j].begin < parts_[i].end)
          return false;
      }
    }
    return true;
  }
  std::size_t first_of_same(std::size_t i) const {
    for (std::size_t j = 0; j < i; ++j) {
      if (first_of_same(j) == j && same(i, j)) return j;
    }
    return i;
  }
  bool covered(std::size_t first) const {
    std::int64_t columns = 0;
    for (std::size_t i = first; i < parts_.size(); ++i) {
      if (first_of_same(i) == first) columns += parts_[i].end - parts_[i].begin;
    }
    return columns == parts_[first].whole[-1];
  }

  std::array<Part, 3> parts_;
  std::array<Tensor, 3> buffers_;
};

ColumnGradients::Part part_of(const Columns& columns) {
  return {columns.of.sink(), columns.of.shape(), columns.begin, columns.end};
}

}  // namespace

Variable scaled_dot_product_attention(const AttentionInputs& x, const AttentionLayout& layout,
                                      Tensor* weights) {
  check(x, layout);
  const Variable& bias = x.distance_bias;
  const std::array<const Variable*, 4> inputs{&x.q.of, &x.k.of, &x.v.of, &bias};
  const bool recording = will_record(inputs);
  if (recording) detail::check_no_shared_keys(kOp, layout);

  const AttentionOperands operands{x.q.value(), x.k.value(), x.v.value(), {bias.value()}};
  const std::int64_t queries = operands.q.rows();
  const Tensor out = Tensor::empty({queries, operands.v.cols()});
  const Tensor log_sum_exp = recording ? Tensor::empty({queries, layout.heads}) : Tensor();
  if (weights != nullptr) *weights = Tensor::empty({layout.heads * detail::pairs_of(layout)});
  backend()->attention(operands, layout, out, log_sum_exp,
                       weights != nullptr ? *weights : Tensor());
  if (!recording) return Variable(out);

  // P = softmax(S), S = scale Q K^T + bias, O = P V:
  //   dV = P^T dO,   dP = dO V^T,   dS = P (dP - rowsum(dO O)),
  //   dQ = scale dS K,   dK = scale dS^T Q,   and of a bias by distance the sum of its dS
  const std::array<ColumnGradients::Part, 3> parts{part_of(x.q), part_of(x.k), part_of(x.v)};
  return record(out, inputs, [=, dbias = bias.sink()](const Tensor& dout) {
    const ColumnGradients columns(parts);
    AttentionGradients gradients{columns.part(0), columns.part(1), columns.part(2)};
    if (dbias.needed())
      gradients.distance_bias = Tensor::empty(operands.distance_bias.table.shape());
    backend()->attention_backward(operands, layout, out, log_sum_exp, dout, gradients);
    columns.send();
    if (dbias.needed()) dbias.add(gradients.distance_bias);
  });
}

Tensor mask_bias(const std::vector<bool>& allowed) {
  std::vector<float> bias;
  bias.reserve(allowed.size());
  for (const bool seen : allowed)
    bias.push_back(seen ? 0.0f : -std::numeric_limits<float>::infinity());
  return Tensor::from(bias, {std::ssize(bias)});
}

}  // namespace attend
