// Attention in parts: scores, weights, sums.
#include <algorithm>
#include <cassert>
#include <cmath>
#include <limits>
#include <vector>

#include "attend/backend/cpu/attention_sequences.h"
#include "attend/backend/optional_kernels.h"

namespace attend {

namespace {

// One head of one sequence: its rows of a matrix [N or M, H*Dh], and its block of pairs.
struct Head {
  const AttentionLayout& layout;
  const AttentionSequence& sequence;
  std::int64_t number;

  float* query(const Tensor& x, std::int64_t i) const {
    return x.row(sequence.query_begin + i) + number * (x.cols() / layout.heads);
  }
  float* key(const Tensor& x, std::int64_t j) const {
    return x.row(sequence.key_begin + j) + number * (x.cols() / layout.heads);
  }
  // The row of query i in a tensor of pairs.
  float* row(const Tensor& pairs, std::int64_t i) const {
    return pairs.data() + sequence.bias_begin * layout.heads +
           (number * sequence.queries + i) * sequence.keys;
  }
  VisibleKeys seen(std::int64_t i) const {
    return visible_keys(layout, i, sequence.queries, sequence.keys);
  }
  float biased(const float* scores, std::int64_t i, std::int64_t j) const {
    const float scaled = layout.scale * scores[j];
    return layout.bias.defined()
               ? scaled + layout.bias.data()[sequence.bias_begin + i * sequence.keys + j]
               : scaled;
  }
};

template <class Visit>
void for_each_head(const AttentionLayout& layout, const Visit& visit) {
  for_each_sequence(layout, [&](const AttentionSequence& sequence) {
    for (std::int64_t head = 0; head < layout.heads; ++head) visit(Head{layout, sequence, head});
  });
}

// visit(head, i) for every query.
template <class Visit>
void for_each_query(const AttentionLayout& layout, const Visit& visit) {
  for_each_head(layout, [&](const Head& head) {
    for (std::int64_t i = 0; i < head.sequence.queries; ++i) visit(head, i);
  });
}

constexpr float kForbiddenScore = -std::numeric_limits<float>::infinity();

}  // namespace

void OptionalKernels::attention_scores(const Tensor& a, const Tensor& b,
                                       const AttentionLayout& layout, const Tensor& pairs) {
  assert(a.cols() == b.cols());
  const std::int64_t width = a.cols() / layout.heads;
  for_each_query(layout, [&](const Head& head, std::int64_t i) {
    for (std::int64_t j = 0; j < head.sequence.keys; ++j) {
      double total = 0.0;
      for (std::int64_t d = 0; d < width; ++d)
        total += double{head.query(a, i)[d]} * head.key(b, j)[d];
      head.row(pairs, i)[j] = static_cast<float>(total);
    }
  });
}

void OptionalKernels::apply_attention(const Tensor& pairs, const Tensor& b,
                                      const AttentionLayout& layout, float beta, const Tensor& y) {
  assert(b.cols() == y.cols());
  const std::int64_t width = b.cols() / layout.heads;
  for_each_query(layout, [&](const Head& head, std::int64_t i) {
    for (std::int64_t d = 0; d < width; ++d) {
      double total = beta == 0.0f ? 0.0 : double{beta} * head.query(y, i)[d];
      for (std::int64_t j = 0; j < head.sequence.keys; ++j) {
        const float pair = head.row(pairs, i)[j];
        if (pair != 0.0f) total += double{pair} * head.key(b, j)[d];
      }
      head.query(y, i)[d] = static_cast<float>(total);
    }
  });
}

void OptionalKernels::apply_attention_transposed(const Tensor& pairs, const Tensor& a,
                                                 const AttentionLayout& layout, float beta,
                                                 const Tensor& y) {
  assert(a.cols() == y.cols());
  const std::int64_t width = a.cols() / layout.heads;
  for_each_head(layout, [&](const Head& head) {
    for (std::int64_t j = 0; j < head.sequence.keys; ++j) {
      for (std::int64_t d = 0; d < width; ++d) {
        double total = beta == 0.0f ? 0.0 : double{beta} * head.key(y, j)[d];
        for (std::int64_t i = 0; i < head.sequence.queries; ++i) {
          const float pair = head.row(pairs, i)[j];
          if (pair != 0.0f) total += double{pair} * head.query(a, i)[d];
        }
        head.key(y, j)[d] = static_cast<float>(total);
      }
    }
  });
}

void OptionalKernels::pair_softmax(const Tensor& scores, const AttentionLayout& layout,
                                   const Tensor& weights) {
  for_each_query(layout, [&](const Head& head, std::int64_t i) {
    std::vector<double> row;
    const VisibleKeys seen = head.seen(i);
    for (std::int64_t j = seen.begin; j < seen.end; ++j)
      row.push_back(head.biased(head.row(scores, i), i, j));
    double largest = kForbiddenScore;
    for (const double score : row) largest = std::max(largest, score);
    // Checked score by score, because a maximum skips NaN.
    const bool blind = std::all_of(row.begin(), row.end(),
                                   [](double score) { return score == double{kForbiddenScore}; });
    double total = 0.0;
    for (const double score : row) total += std::exp(score - largest);
    float* to = head.row(weights, i);
    for (std::int64_t j = 0; j < head.sequence.keys; ++j) {
      const bool visible = !blind && j >= seen.begin && j < seen.end;
      to[j] = visible
                  ? static_cast<float>(
                        std::exp(row[static_cast<std::size_t>(j - seen.begin)] - largest) / total)
                  : 0.0f;
    }
  });
}

void OptionalKernels::pair_softmax_backward(const Tensor& weights, const Tensor& dweights,
                                            const AttentionLayout& layout, const Tensor& dscores) {
  for_each_query(layout, [&](const Head& head, std::int64_t i) {
    const float* w = head.row(weights, i);
    const float* dw = head.row(dweights, i);
    double mean = 0.0;
    for (std::int64_t j = 0; j < head.sequence.keys; ++j) mean += double{w[j]} * dw[j];
    for (std::int64_t j = 0; j < head.sequence.keys; ++j)
      head.row(dscores, i)[j] = static_cast<float>(layout.scale * w[j] * (dw[j] - mean));
  });
}

void OptionalKernels::attention_argmax(const Tensor& scores, const AttentionLayout& layout,
                                       const Tensor& weights) {
  for_each_query(layout, [&](const Head& head, std::int64_t i) {
    std::int64_t best = -1;
    float largest = kForbiddenScore;
    bool invalid = false;
    const VisibleKeys seen = head.seen(i);
    for (std::int64_t j = seen.begin; j < seen.end; ++j) {
      const float score = head.biased(head.row(scores, i), i, j);
      invalid = invalid || std::isnan(score);
      if (score > largest) {
        largest = score;
        best = j;
      }
    }
    for (std::int64_t j = 0; j < head.sequence.keys; ++j) {
      const float weight = j == best ? 1.0f : 0.0f;
      head.row(weights, i)[j] = invalid ? std::numeric_limits<float>::quiet_NaN() : weight;
    }
  });
}

void OptionalKernels::additive_scores(const Tensor& q, const Tensor& k, const Tensor& v,
                                      const AttentionLayout& layout, const Tensor& scores) {
  assert(q.cols() == k.cols() && v.size() == q.cols());
  const std::int64_t width = q.cols() / layout.heads;
  for_each_query(layout, [&](const Head& head, std::int64_t i) {
    for (std::int64_t j = 0; j < head.sequence.keys; ++j) {
      double total = 0.0;
      for (std::int64_t d = 0; d < width; ++d)
        total += v.data()[head.number * width + d] *
                 std::tanh(double{head.query(q, i)[d]} + head.key(k, j)[d]);
      head.row(scores, i)[j] = static_cast<float>(total);
    }
  });
}

// With t = tanh(q + k):   dv += ds t,   dq, dk += ds v (1 - t^2)
void OptionalKernels::additive_scores_backward(const Tensor& q, const Tensor& k, const Tensor& v,
                                               const AttentionLayout& layout, const Tensor& dscores,
                                               const Tensor& dq, const Tensor& dv, float beta,
                                               const Tensor& dk) {
  const std::int64_t width = q.cols() / layout.heads;
  for_each_head(layout, [&](const Head& head) {
    const std::int64_t queries = head.sequence.queries, keys = head.sequence.keys;
    for (std::int64_t d = 0; d < width; ++d) {
      std::vector<double> key_sums(static_cast<std::size_t>(keys));
      for (std::int64_t i = 0; i < queries; ++i) {
        double query_sum = 0.0, v_sum = 0.0;
        for (std::int64_t j = 0; j < keys; ++j) {
          const double ds = head.row(dscores, i)[j];
          const double t = std::tanh(double{head.query(q, i)[d]} + head.key(k, j)[d]);
          const double through = ds * v.data()[head.number * width + d] * (1.0 - t * t);
          v_sum += ds * t;
          query_sum += through;
          key_sums[static_cast<std::size_t>(j)] += through;
        }
        head.query(dq, i)[d] = static_cast<float>(query_sum);
        head.query(dv, i)[d] = static_cast<float>(v_sum);
      }
      for (std::int64_t j = 0; j < keys; ++j) {
        float& to = head.key(dk, j)[d];
        to = static_cast<float>(key_sums[static_cast<std::size_t>(j)] +
                                (beta == 0.0f ? 0.0 : double{beta} * to));
      }
    }
  });
}

}  // namespace attend
