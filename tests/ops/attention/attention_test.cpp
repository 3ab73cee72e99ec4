// What attention sees and what it does not: masks, sequences that share keys, and the weights it
// reports.
#include "attend/ops/attention/attention.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

#include "attend/backend/backend.h"
#include "attend/tensor/allocator.h"
#include "backend/scoped_backend.h"
#include "ops/operands.h"
#include "tensor/all_finite.h"

namespace attend {
namespace {

constexpr float kForbidden = -std::numeric_limits<float>::infinity();

class ScaledDotProductAttention : public testing::TestWithParam<Backend& (*)()> {
 protected:
  struct Result {
    Variable q, k, v, out;
    Tensor weights;
  };

  static AttentionLayout two_heads(AttentionLayout layout) {
    layout.heads = 2;
    layout.scale = 0.5f;
    return layout;
  }

  // Of freshly drawn q [N, 2*3], k [M, 2*3], v [M, 2*5]; gradients for a random dout.
  Result attend(std::int64_t queries, std::int64_t keys, AttentionLayout layout,
                float dropout = 0.0f) {
    Random random({3, 4});
    Result r;
    r.q = Variable(normal_tensor({queries, 6}, random), true);
    r.k = Variable(normal_tensor({keys, 6}, random), true);
    r.v = Variable(normal_tensor({keys, 10}, random), true);
    poison_free_memory();
    layout = two_heads(std::move(layout));
    layout.dropout = {dropout, {5, 6}};
    r.out = scaled_dot_product_attention({r.q, r.k, r.v}, layout, &r.weights);
    poison_free_memory();
    backward(r.out, normal_tensor(r.out.shape(), random));
    return r;
  }

 private:
  ScopedBackend backend_{GetParam()()};
};

INSTANTIATE_TEST_SUITE_P(On, ScaledDotProductAttention,
                         testing::Values(&reference_backend, &fast_backend), [](const auto& suite) {
                           return suite.param == &reference_backend ? "Reference" : "Fast";
                         });

bool zero(const Tensor& x) { return backend()->sum_of_squares(x) == 0.0; }

// Three queries and three keys; the second query may see nothing, the third key is seen by nobody.
TEST_P(ScaledDotProductAttention, GivesZerosToAQueryThatMaySeeNothing) {
  const Tensor bias = mask_bias({true, true, false, false, false, false, true, true, false});
  for (const float dropout : {0.0f, 0.5f}) {
    for (const bool causal : {false, true}) {
      const Result r = attend(3, 3, {ids({0, 3}), ids({0, 3}), {}, causal, bias}, dropout);
      EXPECT_TRUE(zero(r.out.value().slice_rows(1, 2)));
      EXPECT_TRUE(zero(r.q.gradient().slice_rows(1, 2)));
      EXPECT_TRUE(zero(r.k.gradient().slice_rows(2, 3)));
      EXPECT_TRUE(zero(r.v.gradient().slice_rows(2, 3)));
      for (const Tensor& x :
           {r.out.value(), r.weights, r.q.gradient(), r.k.gradient(), r.v.gradient()})
        EXPECT_TRUE(all_finite(x));
      EXPECT_FALSE(zero(r.out.value().slice_rows(2, 3)));
    }
  }
}

TEST_P(ScaledDotProductAttention, GivesZerosWhereThereAreNoKeys) {
  const Result r = attend(3, 2, {ids({0, 2, 3}), ids({0, 0, 2})});
  EXPECT_TRUE(zero(r.out.value().slice_rows(0, 2)));
  EXPECT_TRUE(zero(r.q.gradient().slice_rows(0, 2)));
  EXPECT_EQ(r.weights.size(), 2 * 2);
  EXPECT_TRUE(all_finite(r.k.gradient()));
}

TEST_P(ScaledDotProductAttention, GivesZerosToTheFirstQueriesWhenCausalQueriesOutnumberTheKeys) {
  const Result r = attend(4, 2, {ids({0, 4}), ids({0, 2}), {}, true});
  EXPECT_TRUE(zero(r.out.value().slice_rows(0, 2)));
  EXPECT_FALSE(zero(r.out.value().slice_rows(2, 3)));
  EXPECT_TRUE(all_finite(r.out.value()));
  EXPECT_TRUE(all_finite(r.q.gradient()));
}

TEST_P(ScaledDotProductAttention, IsTheSameWithATriangularMaskAsCausal) {
  const AttentionLayout causal{ids({0, 3}), ids({0, 3}), {}, true};
  AttentionLayout masked{ids({0, 3}), ids({0, 3})};
  masked.bias = mask_bias({true, false, false, true, true, false, true, true, true});
  const Result a = attend(3, 3, causal), b = attend(3, 3, masked);
  EXPECT_LE(largest_difference(a.out.value(), b.out.value()), 1e-6);
  EXPECT_LE(largest_difference(a.q.gradient(), b.q.gradient()), 1e-6);
  EXPECT_LE(largest_difference(a.k.gradient(), b.k.gradient()), 1e-6);
  EXPECT_LE(largest_difference(a.v.gradient(), b.v.gradient()), 1e-6);
}

TEST_P(ScaledDotProductAttention, IsTheSameForAForbiddenKeyAsWithoutIt) {
  AttentionLayout masked{ids({0, 2}), ids({0, 3})};
  masked.bias = mask_bias({true, true, false, true, true, false});
  const Result with = attend(2, 3, masked);
  const Variable q(with.q.value()), k(with.k.value().slice_rows(0, 2)),
      v(with.v.value().slice_rows(0, 2));
  const Variable without =
      scaled_dot_product_attention({q, k, v}, two_heads({ids({0, 2}), ids({0, 2})}));
  EXPECT_LE(largest_difference(with.out.value(), without.value()), 1e-6);
}

TEST_P(ScaledDotProductAttention, FeelsNoShiftOfAllScores) {
  AttentionLayout shifted{ids({0, 2}), ids({0, 3})};
  shifted.bias = Tensor::from(std::vector<float>{50, 50, 50, -50, -50, -50}, {6});
  const Result a = attend(2, 3, {ids({0, 2}), ids({0, 3})}), b = attend(2, 3, shifted);
  EXPECT_LE(largest_difference(a.out.value(), b.out.value()), 1e-5);
}

TEST_P(ScaledDotProductAttention, ReportsWeightsThatSumToOneBeforeDropout) {
  const AttentionLayout layout{ids({0, 2, 5}), ids({0, 3, 5})};
  const Tensor weights = attend(5, 5, layout).weights;
  ASSERT_EQ(weights.size(), 2 * (2 * 3 + 3 * 2));
  EXPECT_TRUE(same_bits(weights, attend(5, 5, layout, 0.5f).weights));
  const auto expect_rows = [&](std::int64_t first, std::int64_t rows, std::int64_t keys) {
    for (std::int64_t r = 0; r < rows; ++r)
      EXPECT_NEAR(backend()->sum(weights.slice_rows(first + r * keys, first + (r + 1) * keys)), 1.0,
                  1e-6);
  };
  expect_rows(0, 4, 3);   // the first sequence: two heads of two queries
  expect_rows(12, 6, 2);  // the second: two heads of three
}

// Beam search: two hypotheses of one source, one of another.
TEST_P(ScaledDotProductAttention, LetsQuerySequencesShareKeys) {
  const NoGradient guard;
  Random random({3, 4});
  const Variable q(normal_tensor({4, 6}, random)), k(normal_tensor({5, 6}, random)),
      v(normal_tensor({5, 10}, random));
  const Variable shared = scaled_dot_product_attention(
      {q, k, v}, two_heads({ids({0, 1, 3, 4}), ids({0, 2, 5}), ids({1, 0, 1})}));
  const std::vector<std::pair<int, int>> keys{{2, 5}, {0, 2}, {2, 5}};
  const std::vector<int> queries{0, 1, 3, 4};
  for (std::size_t b = 0; b < keys.size(); ++b) {
    const auto [first, last] = keys[b];
    const Variable own_q(q.value().slice_rows(queries[b], queries[b + 1]));
    const Variable own_k(k.value().slice_rows(first, last)),
        own_v(v.value().slice_rows(first, last));
    const AttentionLayout alone =
        two_heads({ids({0, queries[b + 1] - queries[b]}), ids({0, last - first})});
    EXPECT_TRUE(same_bits(scaled_dot_product_attention({own_q, own_k, own_v}, alone).value(),
                          shared.value().slice_rows(queries[b], queries[b + 1])))
        << "query sequence " << b;
  }
}

TEST(MaskBias, IsZeroWhereAllowedAndMinusInfinityElsewhere) {
  EXPECT_EQ(mask_bias({true, false, true}).to_vector(),
            (std::vector<float>{0.0f, kForbidden, 0.0f}));
  EXPECT_EQ(mask_bias({}).size(), 0);
}

// The scores of all pairs are never in memory at once.
TEST(AttentionMemory, IsLinearInTheLength) {
  constexpr int kHeads = 4;
  constexpr std::int64_t kWidth = 64;
  std::vector<std::int64_t> peaks;
  for (const std::int32_t length : {1024, 4096}) {
    Random random({7, 8});
    const Variable x(normal_tensor({length, kWidth}, random), true);
    const Tensor dout = normal_tensor(x.shape(), random);
    const std::int64_t before = memory_statistics().bytes_in_use;
    reset_peak_memory();
    AttentionLayout layout{ids({0, length}), ids({0, length}), {}, /*causal=*/true};
    layout.heads = kHeads;
    layout.scale = 0.25f;
    layout.dropout = {0.1f, {5, 6}};
    backward(scaled_dot_product_attention({x, x, x}, layout), dout);
    peaks.push_back(memory_statistics().peak_bytes - before);
  }
  const std::int64_t pairs = 4096 * 4096 * static_cast<std::int64_t>(sizeof(float));
  EXPECT_LT(peaks[1], pairs / 4);
  EXPECT_LT(static_cast<double>(peaks[1]), 4.5 * static_cast<double>(peaks[0]))
      << peaks[0] << " and " << peaks[1] << " bytes";
}

}  // namespace
}  // namespace attend
