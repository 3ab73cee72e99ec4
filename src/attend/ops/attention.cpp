#include "attend/ops/attention.h"

#include <algorithm>
#include <array>
#include <limits>

#include "attend/ops/check.h"

namespace attend {

namespace {

constexpr std::string_view kOp = "scaled_dot_product_attention";

void check_offsets(const std::shared_ptr<const std::vector<std::int32_t>>& offsets, const Shape& x, std::string_view what) {
  if (offsets == nullptr || offsets->empty()) throw ShapeError(fmt::format("[{}] expected {} offsets, got none", kOp, what));
  if (offsets->front() != 0 || offsets->back() != x[0] || !std::is_sorted(offsets->begin(), offsets->end()))
    throw ShapeError(fmt::format("[{}] expected {} offsets [B+1] rising from 0 to the rows of {}, got [{}] from {} to {}", kOp, what,
                                 to_string(x), offsets->size(), offsets->front(), offsets->back()));
}

// As many query as key sequences, or for every query sequence the number of one.
void check_sequences(const AttentionPattern& pattern) {
  const std::size_t queries = pattern.query_offsets->size() - 1, keys = pattern.key_offsets->size() - 1;
  const std::size_t chosen = pattern.key_sequence == nullptr ? keys : pattern.key_sequence->size();
  if (queries != chosen)
    throw ShapeError(fmt::format("[{}] expected as many query as key sequences, got [{}] and [{}]", kOp, queries, chosen));
  if (pattern.key_sequence == nullptr) return;
  for (const std::int32_t sequence : *pattern.key_sequence) {
    if (sequence < 0 || static_cast<std::size_t>(sequence) >= keys)
      throw ShapeError(fmt::format("[{}] expected numbers of the {} key sequences, got {}", kOp, keys, sequence));
  }
}

void check_bias(const Tensor& bias, std::int64_t pairs, const Shape& q, const Shape& k) {
  if (bias.defined() && bias.size() != pairs)
    throw ShapeError(fmt::format("[{}] expected a bias of {} elements for q {} and k {}, got {}", kOp, pairs, to_string(q), to_string(k),
                                 to_string(bias.shape())));
}

// A layout and the memory its spans may point to.
struct Resolved {
  std::vector<std::int32_t> begin, end;
  AttentionLayout layout;

  Resolved(const AttentionPattern& pattern, const AttentionOptions& options) {
    const std::span<const std::int32_t> keys(*pattern.key_offsets);
    layout.query_offsets = *pattern.query_offsets;
    layout.key_begin = keys.first(keys.size() - 1);
    layout.key_end = keys.subspan(1);
    if (pattern.key_sequence != nullptr) {
      for (const std::int32_t sequence : *pattern.key_sequence) {
        begin.push_back(keys[static_cast<std::size_t>(sequence)]);
        end.push_back(keys[static_cast<std::size_t>(sequence) + 1]);
      }
      layout.key_begin = begin;
      layout.key_end = end;
    }
    layout.causal = pattern.causal;
    layout.bias = pattern.bias;
    layout.heads = options.heads;
    layout.scale = options.scale;
    layout.dropout = options.dropout;
  }
  Resolved(const Resolved&) = delete;
  Resolved& operator=(const Resolved&) = delete;

  // Number of (query, key) pairs of all sequences: the elements of a bias, and of one head's weights.
  std::int64_t pairs() const {
    std::int64_t count = 0;
    for (std::size_t b = 0; b < layout.key_begin.size(); ++b) {
      count += std::int64_t{layout.query_offsets[b + 1] - layout.query_offsets[b]} * (layout.key_end[b] - layout.key_begin[b]);
    }
    return count;
  }
};

void check(const Columns& q, const Columns& k, const Columns& v, const AttentionPattern& pattern, const AttentionOptions& options) {
  detail::expect(detail::is_matrix(q.of) && detail::is_matrix(k.of), kOp, "q [N, H*Dh] and k [M, H*Dh]", q.of.shape(), k.of.shape());
  detail::expect(detail::is_matrix(v.of), kOp, "k [M, H*Dh] and v [M, H*Dv]", k.of.shape(), v.of.shape());
  const Shape qs = q.value().shape(), ks = k.value().shape(), vs = v.value().shape();
  detail::expect(qs[1] == ks[1], kOp, "q [N, H*Dh] and k [M, H*Dh]", qs, ks);
  detail::expect(ks[0] == vs[0], kOp, "k [M, H*Dh] and v [M, H*Dv]", ks, vs);
  detail::expect(options.heads >= 1 && qs[1] % options.heads == 0 && vs[1] % options.heads == 0, kOp,
                 fmt::format("q [N, H*Dh] and v [M, H*Dv] with {} heads", options.heads), qs, vs);
  detail::expect_probability(kOp, options.dropout);
  check_offsets(pattern.query_offsets, qs, "query");
  check_offsets(pattern.key_offsets, ks, "key");
  check_sequences(pattern);
}

// The gradient of column ranges. Parts of one variable are written straight into one buffer for the whole of it; where a gradient has
// arrived before, they are computed aside and added.
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

  Tensor part(std::size_t i) const { return buffers_[i].slice_columns(parts_[i].begin, parts_[i].end); }

  void send() const {
    for (std::size_t i = 0; i < parts_.size(); ++i) {
      if (parts_[i].sink.needed() && first_of_same(i) == i) parts_[i].sink.add(buffers_[i]);
    }
  }

 private:
  // Parts of one variable share a buffer, unless some of them overlap (K = V, say): then each has its own and the sink adds them.
  bool same(std::size_t i, std::size_t j) const {
    return i == j || (parts_[i].sink.needed() && parts_[i].sink == parts_[j].sink && apart(parts_[i].sink));
  }
  bool apart(const GradientSink& sink) const {
    for (std::size_t i = 0; i < parts_.size(); ++i) {
      for (std::size_t j = 0; j < i; ++j) {
        const bool both = parts_[i].sink == sink && parts_[j].sink == sink;
        if (both && parts_[i].begin < parts_[j].end && parts_[j].begin < parts_[i].end) return false;
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

ColumnGradients::Part part_of(const Columns& columns) { return {columns.of.sink(), columns.of.shape(), columns.begin, columns.end}; }

}  // namespace

Variable scaled_dot_product_attention(const Columns& q, const Columns& k, const Columns& v, const AttentionPattern& pattern,
                                      const AttentionOptions& options, Tensor* weights) {
  check(q, k, v, pattern, options);
  const Resolved resolved(pattern, options);
  check_bias(pattern.bias, resolved.pairs(), q.value().shape(), k.value().shape());
  const bool recording = will_record({&q.of, &k.of, &v.of});
  if (recording && pattern.key_sequence != nullptr)
    throw ShapeError(fmt::format("[{}] expected no gradients where query sequences share keys, got inputs that require them", kOp));

  const Tensor qv = q.value(), kv = k.value(), vv = v.value();
  const Tensor out = Tensor::empty({qv.rows(), vv.cols()});
  const Tensor log_sum_exp = recording ? Tensor::empty({qv.rows(), options.heads}) : Tensor();
  if (weights != nullptr) *weights = Tensor::empty({options.heads * resolved.pairs()});
  backend().attention(qv, kv, vv, resolved.layout, out, log_sum_exp, weights != nullptr ? *weights : Tensor());
  if (!recording) return Variable(out);

  // P = softmax(S), S = scale Q K^T + bias, O = P V:
  //   dV = P^T dO,   dP = dO V^T,   dS = P (dP - rowsum(dO O)),   dQ = scale dS K,   dK = scale dS^T Q
  const std::array<ColumnGradients::Part, 3> parts{part_of(q), part_of(k), part_of(v)};
  return record(out, {&q.of, &k.of, &v.of}, [=](const Tensor& dout) {
    const ColumnGradients gradients(parts);
    const Resolved again(pattern, options);
    backend().attention_backward(qv, kv, vv, again.layout, out, log_sum_exp, dout, gradients.part(0), gradients.part(1), gradients.part(2));
    gradients.send();
  });
}

Tensor mask_bias(const std::vector<bool>& allowed) {
  const Tensor bias = Tensor::empty({static_cast<std::int64_t>(allowed.size())});
  for (std::size_t i = 0; i < allowed.size(); ++i) bias.data()[i] = allowed[i] ? 0.0f : -std::numeric_limits<float>::infinity();
  return bias;
}

}  // namespace attend
