#include "attend/ops/attention/attention_parts.h"

#include <cstdlib>
#include <vector>

#include "attend/ops/attention/attention_layout.h"
#include "attend/ops/check.h"
#include "attend/ops/elementwise.h"
#include "attend/ops/embedding.h"
#include "attend/ops/slices.h"

namespace attend {

namespace {

void expect_heads(std::string_view op, const Variable& q, const Variable& k, int heads) {
  detail::expect(detail::is_matrix(q) && detail::is_matrix(k) && heads >= 1 &&
                     q.dim(1) == k.dim(1) && q.dim(1) % heads == 0,
                 op, fmt::format("q [N, H*Dh] and k [M, H*Dh] with {} heads", heads), q.shape(),
                 k.shape());
}

void expect_pairs(std::string_view op, const Variable& pairs, const AttentionLayout& layout) {
  const Shape expected{layout.heads * detail::pairs_of(layout)};
  detail::expect(pairs.shape() == expected, op, "a number for every pair and head", pairs.shape(),
                 expected);
}

// The rows of a layout, as a shape to check it against.
Shape rows_of(const Ids& offsets) { return {offsets->empty() ? 0 : offsets->back(), 1}; }

}  // namespace

Variable attention_scores(const Variable& q, const Variable& k, const AttentionLayout& layout) {
  expect_heads("attention_scores", q, k, layout.heads);
  detail::check_layout("attention_scores", layout, q.shape(), k.shape());
  if (will_record({&q, &k})) detail::check_no_shared_keys("attention_scores", layout);
  const Tensor pairs = Tensor::empty({layout.heads * detail::pairs_of(layout)});
  backend()->attention_scores(q.value(), k.value(), layout, pairs);

  // S = Q K^T:   dQ = dS K,   dK = dS^T Q
  return record(pairs, {&q, &k},
                [=, q = q.value(), k = k.value(), dq = q.sink(), dk = k.sink()](const Tensor& ds) {
                  if (dq.needed()) {
                    const auto [buffer, beta] = dq.target();
                    backend()->apply_attention(ds, k, layout, beta, buffer);
                  }
                  if (dk.needed()) {
                    const auto [buffer, beta] = dk.target();
                    backend()->apply_attention_transposed(ds, q, layout, beta, buffer);
                  }
                });
}

Variable additive_attention_scores(const Variable& q, const Variable& k, const Variable& v,
                                   const AttentionLayout& layout) {
  constexpr std::string_view kOp = "additive_attention_scores";
  expect_heads(kOp, q, k, layout.heads);
  detail::expect(v.shape() == Shape{1, q.dim(1)}, kOp, "q [N, H*Dh] and v [1, H*Dh]", q.shape(),
                 v.shape());
  detail::check_layout(kOp, layout, q.shape(), k.shape());
  if (will_record({&q, &k, &v})) detail::check_no_shared_keys(kOp, layout);
  const Tensor pairs = Tensor::empty({layout.heads * detail::pairs_of(layout)});
  backend()->additive_scores(q.value(), k.value(), v.value(), layout, pairs);

  // s[i, j] = v . t,  t = tanh(q[i] + k[j]):   dv = sum ds t,   dq[i] = sum_j ds v (1 - t^2), dk[j]
  // = sum_i ds v (1 - t^2)
  return record(pairs, {&q, &k, &v},
                [=, q = q.value(), k = k.value(), v = v.value(), dq = q.sink(), dk = k.sink(),
                 dv = v.sink()](const Tensor& ds) {
                  const Tensor to_q = Tensor::empty(q.shape()), to_v = Tensor::empty(q.shape());
                  const GradientSink::Target to_k =
                      dk.needed() ? dk.target()
                                  : GradientSink::Target{Tensor::empty(k.shape()), 0.0f};
                  backend()->additive_scores_backward(q, k, v, layout, ds, to_q, to_v, to_k.beta,
                                                      to_k.buffer);
                  if (dq.needed()) dq.add(to_q);
                  if (dv.needed()) {
                    const auto [buffer, beta] = dv.target();
                    backend()->sum_rows(to_v, beta, buffer.reshape({v.dim(1)}));
                  }
                });
}

Variable attention_weights(const Variable& scores, const AttentionLayout& layout,
                           AttentionChoice choice) {
  constexpr std::string_view kOp = "attention_weights";
  detail::check_layout(kOp, layout, rows_of(layout.query_offsets), rows_of(layout.key_offsets));
  expect_pairs(kOp, scores, layout);
  const bool hard = choice != AttentionChoice::soft;
  const bool recording = choice != AttentionChoice::hard && will_record({&scores});
  const Tensor weights = Tensor::empty(scores.shape());
  if (hard) backend()->attention_argmax(scores.value(), layout, weights);
  if (!hard || recording) {
    const Tensor soft = hard ? Tensor::empty(scores.shape()) : weights;
    backend()->pair_softmax(scores.value(), layout, soft);
    // p = softmax(scale s):   ds = scale p (dw - sum p dw)
    if (recording)
      return record(weights, {&scores}, [=, ds = scores.sink()](const Tensor& dw) {
        const Tensor gradient = Tensor::empty(dw.shape());
        backend()->pair_softmax_backward(soft, dw, layout, gradient);
        ds.add(gradient);
      });
  }
  return Variable(weights);
}

namespace {

// For every pair and head: whether the key is seen, and the elements of the biases.
struct PairPlaces {
  std::vector<bool> seen;
  std::vector<std::int32_t> by_distance, by_pair;
};

PairPlaces places_of_pairs(const AttentionLayout& layout, const DistanceBias& distances) {
  PairPlaces places;
  std::int64_t first = 0;  // of the pairs of a sequence
  const Ids &queries = layout.query_offsets, &keys = layout.key_offsets;
  for (std::int64_t b = 0; b + 1 < queries.size(); ++b) {
    const std::int64_t sequence = layout.key_sequence ? layout.key_sequence[b] : b;
    const std::int64_t rows = queries[b + 1] - queries[b],
                       cols = keys[sequence + 1] - keys[sequence];
    for (std::int64_t head = 0; head < layout.heads; ++head) {
      for (std::int64_t pair = 0; pair < rows * cols; ++pair) {
        const std::int64_t distance = pair % cols - (pair / cols + cols - rows);
        places.seen.push_back((!layout.causal || distance <= 0) &&
                              (layout.window == 0 || std::abs(distance) < layout.window));
        if (distances.defined())
          places.by_distance.push_back(
              static_cast<std::int32_t>(distances.row(distance) * layout.heads + head));
        if (layout.bias.defined())
          places.by_pair.push_back(static_cast<std::int32_t>(first + pair));
      }
    }
    first += rows * cols;
  }
  return places;
}

Variable elements_of(const Variable& x, const std::vector<std::int32_t>& places) {
  return reshape(gather_rows(reshape(x, {x.shape().size(), 1}), places), {std::ssize(places)});
}

}  // namespace

Tensor visible_scores(const Variable& scores, const Variable& distance_bias,
                      const AttentionLayout& layout) {
  constexpr std::string_view kOp = "visible_scores";
  detail::check_layout(kOp, layout, rows_of(layout.query_offsets), rows_of(layout.key_offsets));
  expect_pairs(kOp, scores, layout);
  const NoGradient guard;
  const PairPlaces places = places_of_pairs(layout, {distance_bias.value()});
  Variable shown = scale(scores, layout.scale);
  if (layout.cap > 0.0f)
    shown = scale(activate(scale(shown, 1.0f / layout.cap), Activation::tanh), layout.cap);
  if (distance_bias.defined()) shown = add(shown, elements_of(distance_bias, places.by_distance));
  if (layout.bias.defined()) shown = add(shown, elements_of(Variable(layout.bias), places.by_pair));
  return add(shown, Variable(mask_bias(places.seen))).value();
}

Variable attention_sum(const Variable& weights, const Variable& v, const AttentionLayout& layout) {
  constexpr std::string_view kOp = "attention_sum";
  detail::expect_matrix(kOp, v);
  detail::expect(layout.heads >= 1 && v.dim(1) % layout.heads == 0, kOp,
                 fmt::format("weights [P] and v [M, H*Dv] with {} heads", layout.heads),
                 weights.shape(), v.shape());
  detail::check_layout(kOp, layout, rows_of(layout.query_offsets), v.shape());
  expect_pairs(kOp, weights, layout);
  if (will_record({&weights, &v})) detail::check_no_shared_keys(kOp, layout);
  const Tensor out = Tensor::empty({layout.query_offsets->back(), v.dim(1)});
  backend()->apply_attention(weights.value(), v.value(), layout, 0.0f, out);

  // O = W V:   dW = dO V^T,   dV = W^T dO
  return record(out, {&weights, &v},
                [=, w = weights.value(), v = v.value(), dw = weights.sink(),
                 dv = v.sink()](const Tensor& dout) {
                  if (dw.needed()) {
                    const Tensor gradient = Tensor::empty(w.shape());
                    backend()->attention_scores(dout, v, layout, gradient);
                    dw.add(gradient);
                  }
                  if (dv.needed()) {
                    const auto [buffer, beta] = dv.target();
                    backend()->apply_attention_transposed(w, dout, layout, beta, buffer);
                  }
                });
}

}  // namespace attend
