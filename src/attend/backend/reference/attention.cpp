#include <algorithm>
#include <cassert>
#include <cmath>
#include <cstring>
#include <limits>
#include <vector>

#include "attend/backend/cpu/attention_sequences.h"
#include "attend/backend/cpu/quantized_weights.h"
#include "attend/backend/ids_span.h"
#include "attend/backend/reference/reference_backend.h"
#include "attend/backend/reference/rounding.h"

namespace attend {

namespace {

using reference::factor;

constexpr double kForbidden = -std::numeric_limits<double>::infinity();

double dot(const float* a, const float* b, std::int64_t width,
           Precision precision = Precision::f32) {
  double total = 0.0;
  for (std::int64_t i = 0; i < width; ++i)
    total += factor(a[i], precision) * factor(b[i], precision);
  return total;
}

double capped(double score, float cap) { return cap > 0.0f ? cap * std::tanh(score / cap) : score; }

// The derivative of capped().
double slope_of_cap(double score, float cap) {
  if (cap <= 0.0f) return 1.0;
  const double t = std::tanh(score / cap);
  return 1.0 - t * t;
}

// Returns log sum exp. Scores that are all -infinity become zeros.
double softmax_in_place(std::vector<double>& scores) {
  // Checked score by score, because a maximum skips NaN, which must not count as a masked key.
  if (std::all_of(scores.begin(), scores.end(), [](double score) { return score == kForbidden; })) {
    std::fill(scores.begin(), scores.end(), 0.0);
    return kForbidden;
  }
  double largest = kForbidden;
  for (const double score : scores) largest = std::max(largest, score);
  double total = 0.0;
  for (const double score : scores) total += std::exp(score - largest);
  for (double& score : scores) score = std::exp(score - largest) / total;
  return largest + std::log(total);
}

// The row of the biases by distance for query i and key j of a sequence.
std::int64_t distance_row(const DistanceBias& bias, const AttentionSequence& sequence,
                          std::int64_t i, std::int64_t j) {
  return bias.row(j - (i + sequence.keys - sequence.queries));
}

// Writes the weights of query i of a sequence in one head, before dropout, to `weights` [Tk];
// returns log sum exp of its scores.
double weights_of_query(const AttentionOperands& x, const AttentionLayout& layout,
                        const AttentionSequence& sequence, std::int64_t i, std::int64_t head,
                        std::vector<double>& weights) {
  const DistanceBias& bias = x.distance_bias;
  const std::int64_t width = x.q.cols() / layout.heads;
  const VisibleKeys visible = visible_keys(layout, i, sequence.queries, sequence.keys);
  weights.assign(static_cast<std::size_t>(sequence.keys), kForbidden);
  for (std::int64_t j = visible.begin; j < visible.end; ++j) {
    double score =
        layout.scale * dot(x.q.row(sequence.query_begin + i) + head * width,
                           x.k.row(sequence.key_begin + j) + head * width, width, layout.precision);
    score = capped(score, layout.cap);
    if (layout.bias.defined())
      score += layout.bias.data()[sequence.bias_begin + i * sequence.keys + j];
    if (bias.defined()) score += bias.table.row(distance_row(bias, sequence, i, j))[head];
    weights[static_cast<std::size_t>(j)] = score;
  }
  return softmax_in_place(weights);
}

}  // namespace

// weights = softmax(scale q k^T + bias),  out = dropout(weights) v
void ReferenceBackend::attention(const AttentionOperands& x, const AttentionLayout& layout,
                                 const Tensor& out, const Tensor& log_sum_exp,
                                 const Tensor& weights) {
  assert(x.q.cols() == x.k.cols() && x.v.cols() == out.cols());
  const std::int64_t heads = layout.heads;
  const std::int64_t value_width = x.v.cols() / heads;
  std::vector<double> w;
  for_each_sequence(layout, [&](const AttentionSequence& sequence) {
    for (std::int64_t head = 0; head < heads; ++head) {
      for (std::int64_t i = 0; i < sequence.queries; ++i) {
        const std::int64_t query = sequence.query_begin + i;
        const double normalizer = weights_of_query(x, layout, sequence, i, head, w);
        if (log_sum_exp.defined()) log_sum_exp.row(query)[head] = static_cast<float>(normalizer);
        std::vector<double> total(static_cast<std::size_t>(value_width));
        for (std::int64_t j = 0; j < sequence.keys; ++j) {
          const double weight = w[static_cast<std::size_t>(j)];
          if (weights.defined())
            weights.data()[sequence.bias_begin * heads +
                           (head * sequence.queries + i) * sequence.keys + j] =
                static_cast<float>(weight);
          const double kept =
              factor(weight * reference::dropout_factor(layout.dropout, query * heads + head, j),
                     layout.precision);
          // A weight of zero skips its value even if that is NaN or infinite: a masked key must
          // have no effect.
          if (kept == 0.0) continue;
          const float* value = x.v.row(sequence.key_begin + j) + head * value_width;
          for (std::int64_t d = 0; d < value_width; ++d)
            total[static_cast<std::size_t>(d)] += kept * factor(value[d], layout.precision);
        }
        for (std::int64_t d = 0; d < value_width; ++d)
          out.row(query)[head * value_width + d] =
              static_cast<float>(total[static_cast<std::size_t>(d)]);
      }
    }
  });
}

namespace {

// Writes rows of `width` numbers of one head to a gradient, from row `begin` on.
void write_head(const std::vector<double>& numbers, std::int64_t begin, std::int64_t head,
                std::int64_t width, const Tensor& gradient) {
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    const auto at = static_cast<std::int64_t>(i);
    gradient.row(begin + at / width)[head * width + at % width] = static_cast<float>(numbers[i]);
  }
}

}  // namespace

// With m the dropout factors, w the weights and w~ = m w:
//   dv = w~^T dout,  dw = m (dout v^T),  ds = w (dw - sum_j w dw),
//   dq = scale ds k,  dk = scale ds^T q,  and the gradient of a bias by distance is the sum of its
//   ds. Through a cap, ds gets the factor 1 - tanh(s / cap)^2, but not that of the bias.
// Faster backends use `out` and `log_sum_exp`; this one recomputes the weights.
void ReferenceBackend::attention_backward(const AttentionOperands& x, const AttentionLayout& layout,
                                          const Tensor& /*out*/, const Tensor& /*log_sum_exp*/,
                                          const Tensor& dout, const AttentionGradients& gradients) {
  // Not by structured bindings, which clang 14 cannot capture.
  const Tensor& dq = gradients.q;
  const Tensor& dk = gradients.k;
  const Tensor& dv = gradients.v;
  const Tensor& dbias = gradients.distance_bias;
  const std::int64_t heads = layout.heads;
  const std::int64_t width = x.q.cols() / heads;
  const std::int64_t value_width = x.v.cols() / heads;
  std::vector<double> w, dbias_sums(dbias.defined() ? static_cast<std::size_t>(dbias.size()) : 0);
  for_each_sequence(layout, [&](const AttentionSequence& sequence) {
    for (std::int64_t head = 0; head < heads; ++head) {
      std::vector<double> dk_head(static_cast<std::size_t>(sequence.keys * width));
      std::vector<double> dv_head(static_cast<std::size_t>(sequence.keys * value_width));
      for (std::int64_t i = 0; i < sequence.queries; ++i) {
        const std::int64_t query = sequence.query_begin + i;
        const float* dout_row = dout.row(query) + head * value_width;
        weights_of_query(x, layout, sequence, i, head, w);

        std::vector<double> dw(w.size());
        double w_dw = 0.0;
        for (std::int64_t j = 0; j < sequence.keys; ++j) {
          const auto at = static_cast<std::size_t>(j);
          if (w[at] == 0.0) continue;
          const double drop = reference::dropout_factor(layout.dropout, query * heads + head, j);
          const double kept = factor(drop * w[at], layout.precision);
          dw[at] = drop * dot(dout_row, x.v.row(sequence.key_begin + j) + head * value_width,
                              value_width, layout.precision);
          w_dw += w[at] * dw[at];
          for (std::int64_t d = 0; d < value_width; ++d)
            dv_head[static_cast<std::size_t>(j * value_width + d)] +=
                kept * factor(dout_row[d], layout.precision);
        }

        std::vector<double> dq_row(static_cast<std::size_t>(width));
        for (std::int64_t j = 0; j < sequence.keys; ++j) {
          const auto at = static_cast<std::size_t>(j);
          if (w[at] == 0.0) continue;
          const float* key = x.k.row(sequence.key_begin + j) + head * width;
          const double score =
              layout.scale * dot(x.q.row(query) + head * width, key, width, layout.precision);
          const double ds =
              factor(layout.scale * w[at] * (dw[at] - w_dw) * slope_of_cap(score, layout.cap),
                     layout.precision);
          if (dbias.defined())
            dbias_sums[static_cast<std::size_t>(
                distance_row(x.distance_bias, sequence, i, j) * heads + head)] +=
                w[at] * (dw[at] - w_dw);
          for (std::int64_t d = 0; d < width; ++d) {
            dq_row[static_cast<std::size_t>(d)] += ds * factor(key[d], layout.precision);
            dk_head[static_cast<std::size_t>(j * width + d)] +=
                ds * factor(x.q.row(query)[head * width + d], layout.precision);
          }
        }
        write_head(dq_row, query, head, width, dq);
      }
      write_head(dk_head, sequence.key_begin, head, width, dk);
      write_head(dv_head, sequence.key_begin, head, value_width, dv);
    }
  });
  for (std::size_t i = 0; i < dbias_sums.size(); ++i) {
    const auto at = static_cast<std::int64_t>(i);
    dbias.row(at / heads)[at % heads] = static_cast<float>(dbias_sums[i]);
  }
}

namespace {

// The `width` elements of one head; those of the first head begin at element `begin`.
std::vector<float> numbers_of(const KeyRows& keys, std::size_t key, std::int64_t begin,
                              std::int64_t head, std::int64_t width) {
  const CacheSlot slot = SlotSpan(keys.slots)[key];
  const Tensor& page = keys.pages[static_cast<std::size_t>(slot.page)];
  if (page.dtype() == DType::f32) {
    const float* numbers = page.row(slot.row) + begin + head * width;
    return {numbers, numbers + width};
  }
  const std::int8_t* group =
      page.row<std::int8_t>(slot.row) + begin + head * (width + kQuantizedScaleBytes);
  float scale = 0.0f;
  std::memcpy(&scale, group + width, sizeof scale);
  std::vector<float> numbers;
  for (std::int64_t i = 0; i < width; ++i) numbers.push_back(scale * static_cast<float>(group[i]));
  return numbers;
}

}  // namespace

void ReferenceBackend::rotate(const Tensor& x, const Rotation& rotation, const Tensor& y) {
  const std::int64_t width = rotation.angles.cols(), half = width / 2;
  assert(rotation.columns % width == 0 && rotation.columns <= x.cols() && x.cols() == y.cols());
  const auto position = device_span(rotation.position);
  for (std::int64_t r = 0; r < x.rows(); ++r) {
    const float* angles = rotation.angles.row(position[static_cast<std::size_t>(r)]);
    for (std::int64_t group = 0; group < rotation.columns; group += width) {
      for (std::int64_t i = 0; i < half; ++i) {
        const double c = angles[i], s = rotation.back ? -angles[half + i] : angles[half + i];
        const double a = x.row(r)[group + i], b = x.row(r)[group + half + i];
        y.row(r)[group + i] = static_cast<float>(c * a - s * b);
        y.row(r)[group + half + i] = static_cast<float>(c * b + s * a);
      }
    }
    std::copy(x.row(r) + rotation.columns, x.row(r) + x.cols(), y.row(r) + rotation.columns);
  }
}

void ReferenceBackend::attention_cached(const Tensor& q, const KeyRows& keys,
                                        const CachedLayout& layout, const Tensor& out) {
  const int heads = layout.heads, group = heads / layout.key_heads;
  const std::int64_t width = q.cols() / heads;
  const std::int64_t value_width = out.cols() / heads;
  const auto offsets = device_span(keys.offsets);
  for (std::int64_t r = 0; r < q.rows(); ++r) {
    const auto row = static_cast<std::size_t>(r);
    const auto begin = static_cast<std::size_t>(offsets[row]),
               end = static_cast<std::size_t>(offsets[row + 1]);
    for (std::int64_t head = 0; head < heads; ++head) {
      std::vector<double> w;
      for (std::size_t key = begin; key < end; ++key) {
        const std::vector<float> numbers = numbers_of(keys, key, 0, head / group, width);
        w.push_back(
            capped(layout.scale * dot(q.row(r) + head * width, numbers.data(), width), layout.cap));
        const auto distance = static_cast<std::int64_t>(key) - static_cast<std::int64_t>(end - 1);
        if (layout.distance_bias.defined())
          w.back() += layout.distance_bias.table.row(layout.distance_bias.row(distance))[head];
      }
      softmax_in_place(w);
      std::vector<double> totals(static_cast<std::size_t>(value_width));
      for (std::size_t j = 0; j < w.size(); ++j) {
        const std::vector<float> value =
            numbers_of(keys, begin + j, layout.value_distance, head / group, value_width);
        for (std::size_t d = 0; d < totals.size(); ++d) totals[d] += w[j] * value[d];
      }
      std::copy(totals.begin(), totals.end(), out.row(r) + head * value_width);
    }
  }
}

void ReferenceBackend::gather_keys(const KeyRows& keys, std::int64_t begin, int heads,
                                   const Tensor& y) {
  const std::int64_t width = y.cols() / heads;
  for (std::int64_t i = 0; i < y.rows(); ++i) {
    for (std::int64_t head = 0; head < heads; ++head) {
      const std::vector<float> numbers =
          numbers_of(keys, static_cast<std::size_t>(i), begin, head, width);
      std::copy(numbers.begin(), numbers.end(), y.row(i) + head * width);
    }
  }
}

}  // namespace attend
