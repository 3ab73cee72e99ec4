// What attention must do whatever the backend: an example worked by hand, and queries that may see
// nothing.
#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "attend/backend/fast/cpu_extensions.h"
#include "backend/attention_pattern.h"
#include "backend/backend_test.h"
#include "tensor/all_finite.h"

namespace attend {
namespace {

class Attention : public EachBackend {
 protected:
  struct Result {
    Tensor out, log_sum_exp, weights;
  };

  Result attend(const AttentionProblem& problem) const {
    Operands operands(Rows::contiguous);
    const Result result{operands.output(problem.queries(), problem.v.cols()),
                        operands.output(problem.queries(), problem.layout.heads),
                        operands.output_vector(problem.weights_size())};
    kernels().attention(problem.operands(), problem.layout, result.out, result.log_sum_exp,
                        result.weights);
    return result;
  }
};

INSTANTIATE_TEST_SUITE_P(On, Attention, ::testing::Values(&reference_backend, &fast_backend),
                         backend_name);

void expect_digits(const Tensor& found, const std::vector<double>& expected, double relative) {
  ASSERT_EQ(found.size(), static_cast<std::int64_t>(expected.size()));
  for (std::size_t i = 0; i < expected.size(); ++i)
    EXPECT_NEAR(found.data()[i], expected[i], relative * expected[i]) << "element " << i;
}

// Three queries against four keys, of which the last two are equal. Every score is 100 or 0; the
// published digits are those of a scale of 1/8, that is Dh = 64: the keys that do not match weigh
// exp(-12.5) = 3.7267e-6.
TEST_P(Attention, SolvesTheExampleWorkedByHand) {
  const Tensor q = Tensor::from(std::vector<float>{0, 10, 0, 0, 0, 10, 10, 10, 0}, {3, 3});
  const Tensor k = Tensor::from(std::vector<float>{10, 0, 0, 0, 10, 0, 0, 0, 10, 0, 0, 10}, {4, 3});
  const Tensor v = Tensor::from(std::vector<float>{1, 0, 10, 0, 100, 5, 1000, 6}, {4, 2});
  AttentionLayout layout;
  layout.query_offsets = {0, 3};
  layout.key_offsets = {0, 4};
  layout.scale = 1.0f / 8.0f;
  const Tensor out = Tensor::empty({3, 2});
  const Tensor weights = Tensor::empty({12});
  kernels().attention({q, k, v}, layout, out, {}, weights);
  expect_digits(weights,
                {3.7266e-6, .99999, 3.7266e-6, 3.7266e-6, 1.8633e-6, 1.8633e-6, .5, .5, .5, .5,
                 1.8633e-6, 1.8633e-6},
                5e-5);
  expect_digits(out, {10.004, 4.0993e-5, 549.998, 5.5, 5.50205, 2.0496e-5}, 5e-5);

  // With the scale of its own width, 1/sqrt(3), the rest is gone: exp(-100 / sqrt(3)) = 8.4e-26.
  layout.scale = 1.0f / std::sqrt(3.0f);
  kernels().attention({q, k, v}, layout, out, {}, weights);
  expect_digits(out.slice_columns(0, 1).clone(), {10.0, 550.0, 5.5}, 1e-6);
}

TEST_P(Attention, WeightsOfEveryQueryThatSeesAKeySumToOne) {
  for (const AttentionPattern& pattern : small_attention_patterns()) {
    SCOPED_TRACE(pattern.name);
    Operands operands(Rows::contiguous);
    const AttentionProblem problem(pattern, operands);
    const Result result = attend(problem);
    const float* weight = result.weights.data();
    for (std::size_t b = 0; b < pattern.lengths.size(); ++b) {
      for (int head = 0; head < pattern.heads; ++head) {
        for (int i = 0; i < pattern.lengths[b].first; ++i) {
          double total = 0.0;
          for (int j = 0; j < pattern.lengths[b].second; ++j) total += *weight++;
          const bool blind = std::isinf(result.log_sum_exp.row(problem.query_offsets[b] + i)[head]);
          EXPECT_NEAR(total, blind ? 0.0 : 1.0, 1e-6)
              << "sequence " << b << ", head " << head << ", query " << i;
        }
      }
    }
  }
}

// The queries of these sequences that may see no key, by hand.
TEST_P(Attention, QueriesThatSeeNoKeyGiveZerosAndTakeNoGradient) {
  AttentionPattern pattern{.name = "",
                           .lengths = {{4, 2}, {3, 0}, {2, 3}},
                           .heads = 2,
                           .key_width = 5,
                           .value_width = 3,
                           .causal = true};
  Operands operands(Rows::strided);
  AttentionProblem problem(pattern, operands);
  const Tensor bias = Tensor::zeros({problem.pairs});
  for (int j = 0; j < 3; ++j)
    bias.data()[8 + j] = -INFINITY;  // the first query of the last sequence
  problem.layout.bias = bias;
  const std::vector<bool> blind{true, true, false, false, true, true, true, true, false};

  const Result result = attend(problem);
  const Tensor dout = operands.normal(problem.queries(), problem.v.cols());
  const Tensor dq = operands.output(problem.queries(), problem.q.cols());
  const Tensor dk = operands.output(problem.keys(), problem.k.cols());
  const Tensor dv = operands.output(problem.keys(), problem.v.cols());
  kernels().attention_backward(problem.operands(), problem.layout, result.out, result.log_sum_exp,
                               dout, {dq, dk, dv});

  for (std::int64_t query = 0; query < problem.queries(); ++query) {
    SCOPED_TRACE(query);
    const bool sees_nothing = blind[static_cast<std::size_t>(query)];
    for (int head = 0; head < 2; ++head)
      EXPECT_EQ(result.log_sum_exp.row(query)[head] == -INFINITY, sees_nothing);
    for (std::int64_t c = 0; c < dq.cols(); ++c) {
      EXPECT_TRUE(std::isfinite(dq.row(query)[c]));
      EXPECT_TRUE(!sees_nothing || dq.row(query)[c] == 0.0f);
    }
    for (std::int64_t c = 0; c < result.out.cols(); ++c)
      EXPECT_EQ(result.out.row(query)[c] == 0.0f, sees_nothing);
  }
  for (const float weight : result.weights.span().first(8)) EXPECT_TRUE(std::isfinite(weight));
  EXPECT_TRUE(all_finite(dk.slice_rows(0, 2)));
  EXPECT_TRUE(all_finite(dv.slice_rows(0, 2)));
}

TEST_P(Attention, WritesZeroGradientsToKeysThatNoQueryOfTheirSequenceSees) {
  Operands operands(Rows::contiguous);
  const AttentionProblem problem({.name = "", .lengths = {{0, 3}, {2, 2}}}, operands);
  const Result result = attend(problem);
  const Tensor dout = operands.normal(problem.queries(), problem.v.cols());
  const Tensor dq = operands.output(problem.queries(), problem.q.cols());
  const Tensor dk = operands.output(problem.keys(), problem.k.cols());
  const Tensor dv = operands.output(problem.keys(), problem.v.cols());
  kernels().attention_backward(problem.operands(), problem.layout, result.out, result.log_sum_exp,
                               dout, {dq, dk, dv});
  EXPECT_EQ(kernels().sum_of_squares(dk.slice_rows(0, 3)), 0.0);
  EXPECT_EQ(kernels().sum_of_squares(dv.slice_rows(0, 3)), 0.0);
  EXPECT_TRUE(std::isnan(dk.row(3)[0]))
      << "the row between the sequences belongs to none and is left alone";
  EXPECT_TRUE(all_finite(dk.slice_rows(4, 6)));
}

TEST_P(Attention, CausalQueriesSeeThePrefixAndTheTriangle) {
  Operands operands(Rows::contiguous);
  const AttentionProblem problem(
      {.name = "", .lengths = {{2, 4}, {3, 3}}, .heads = 1, .causal = true}, operands);
  const Tensor weights = attend(problem).weights;
  const std::vector<bool> seen{
      true, true,  true,  false, true, true,  true, true,  // two queries after two keys of history
      true, false, false, true,  true, false, true, true, true};  // the usual triangle
  for (std::size_t i = 0; i < seen.size(); ++i)
    EXPECT_EQ(weights.data()[i] > 0.0f, seen[i]) << "weight " << i;
}

TEST_P(Attention, CausalQueriesDoNotFeelLaterKeys) {
  for (const Precision precision : {Precision::f32, Precision::bf16}) {
    for (const std::int64_t key : {12, 13, 65}) {  // in bf16, 12 and 13 are a pair
      SCOPED_TRACE((precision == Precision::bf16 ? "bf16, key " : "f32, key ") +
                   std::to_string(key));
      Operands operands(Rows::contiguous);
      const AttentionProblem problem({.name = "",
                                      .lengths = {{80, 80}},
                                      .key_width = 9,
                                      .value_width = 41,
                                      .causal = true,
                                      .precision = precision},
                                     operands);
      const Tensor before = attend(problem).out;
      for (std::int64_t c = 0; c < problem.k.cols(); ++c) problem.k.row(key)[c] = 1e4f;
      for (std::int64_t c = 0; c < problem.v.cols(); ++c)
        problem.v.row(key)[c] = NAN;  // not even an invalid value leaks
      const Tensor after = attend(problem).out;
      EXPECT_TRUE(same_bits(before.slice_rows(0, key), after.slice_rows(0, key)));
      EXPECT_FALSE(all_finite(after.slice_rows(key, 80)));
    }
  }
}

TEST_P(Attention, WindowsHideWhatIsFartherAway) {
  for (const bool causal : {false, true}) {
    Operands operands(Rows::contiguous);
    const AttentionProblem problem(
        {.name = "", .lengths = {{5, 5}, {2, 6}}, .heads = 1, .causal = causal, .window = 2},
        operands);
    const Tensor weights = attend(problem).weights;
    std::int64_t at = 0;
    for (const auto& [queries, keys] : {std::pair{5, 5}, {2, 6}}) {
      for (int position = keys - queries; position < keys; ++position) {
        for (int key = 0; key < keys; ++key, ++at)
          EXPECT_EQ(weights.data()[at] > 0.0f,
                    std::abs(position - key) < 2 && (!causal || key <= position))
              << "query at " << position << ", key " << key;
      }
    }
  }
}

// Keys that no window reaches are not read, even if they are many.
TEST_P(Attention, WindowsDoNotFeelKeysThatAreFarAway) {
  for (const Precision precision : {Precision::f32, Precision::bf16}) {
    Operands operands(Rows::contiguous);
    const AttentionProblem problem({.name = "",
                                    .lengths = {{600, 600}},
                                    .key_width = 9,
                                    .value_width = 41,
                                    .precision = precision,
                                    .window = 50},
                                   operands);
    const Tensor before = attend(problem).out;
    for (const std::int64_t key : {0, 301, 599}) {
      for (std::int64_t c = 0; c < problem.k.cols(); ++c) problem.k.row(key)[c] = NAN;
      for (std::int64_t c = 0; c < problem.v.cols(); ++c) problem.v.row(key)[c] = NAN;
    }
    const Tensor after = attend(problem).out;
    for (const auto& [begin, end] : {std::pair{50, 252}, {351, 550}})
      EXPECT_TRUE(same_bits(before.slice_rows(begin, end), after.slice_rows(begin, end)));
    for (const auto& [begin, end] : {std::pair{0, 50}, {252, 351}, {550, 600}}) {
      for (int row = begin; row < end; ++row)
        EXPECT_TRUE(std::isnan(after.row(row)[0])) << "row " << row;
    }
  }
}

// The biases of a single head, for each pair of a query and a key of the problem.
Tensor biases_of_pairs(const AttentionProblem& problem, const AttentionPattern& pattern) {
  const DistanceBias& bias = problem.distance_bias;
  const std::int64_t reach = bias.table.rows() / 2;
  std::vector<float> pairs;
  for (const auto& [queries, keys] : pattern.lengths) {
    for (std::int64_t i = keys - queries; i < keys; ++i)
      for (std::int64_t j = 0; j < keys; ++j)
        pairs.push_back(bias.table.row(std::min(std::max(j - i, -reach), reach) + reach)[0]);
  }
  return Tensor::from(pairs, {std::ssize(pairs)});
}

TEST_P(Attention, BiasesByDistanceAreThoseOfTheirPairs) {
  const AttentionPattern pattern{
      .name = "", .lengths = {{9, 9}, {3, 12}, {70, 66}}, .heads = 1, .reach = 5};
  Operands operands(Rows::contiguous);
  AttentionProblem problem(pattern, operands);
  const Result by_distance = attend(problem);
  problem.layout.bias = biases_of_pairs(problem, pattern);
  problem.distance_bias = {};
  const Result by_pair = attend(problem);
  EXPECT_TRUE(same_bits(by_distance.out, by_pair.out));
  EXPECT_TRUE(same_bits(by_distance.weights, by_pair.weights));
}

// A step of decoding sees what the last query of the whole sequence sees.
TEST_P(Attention, CachedQueriesStandAtTheirLastKey) {
  constexpr int kTokens = 30, kHeads = 2;
  Operands operands(Rows::contiguous);
  const AttentionProblem problem(
      {.name = "", .lengths = {{kTokens, kTokens}}, .heads = kHeads, .reach = 7}, operands);
  const Tensor page = Tensor::zeros({kTokens, problem.k.cols() + problem.v.cols()});
  page.slice_columns(0, problem.k.cols()).copy_from(problem.k.slice_rows(0, kTokens));
  page.slice_columns(problem.k.cols(), page.cols()).copy_from(problem.v.slice_rows(0, kTokens));
  std::vector<CacheSlot> slots;
  for (std::int32_t row = 0; row < kTokens; ++row) slots.push_back({0, row});
  const Tensor out = Tensor::empty({1, problem.v.cols()});
  kernels().attention_cached(
      problem.q.slice_rows(kTokens - 1, kTokens), {{&page, 1}, slot_ids(slots), Ids{0, kTokens}},
      {problem.k.cols(), kHeads, kHeads, problem.layout.scale, problem.distance_bias}, out);
  const Tensor whole = attend(problem).out.slice_rows(kTokens - 1, kTokens);
  for (std::int64_t c = 0; c < out.cols(); ++c)
    EXPECT_NEAR(out.row(0)[c], whole.row(0)[c], 1e-5f) << "column " << c;
}

// The rule is part of the reproducibility of a training.
TEST(AttentionInBf16, RoundsSequencesOf64KeysOnCpusThatMultiplyPairs) {
  for (const int keys : {63, 64}) {
    Operands operands(Rows::contiguous);
    AttentionProblem problem({.name = "", .lengths = {{5, keys}}, .precision = Precision::bf16},
                             operands);
    const Tensor rounded = Tensor::empty({5, problem.v.cols()}), exact = rounded.clone();
    fast_backend().attention(problem.operands(), problem.layout, rounded, {}, {});
    problem.layout.precision = Precision::f32;
    fast_backend().attention(problem.operands(), problem.layout, exact, {}, {});
    EXPECT_EQ(same_bits(rounded, exact), keys < 64 || !cpu_extensions().bf16) << keys << " keys";
  }
}

TEST_P(Attention, SurvivesScoresThatWouldOverflowExp) {
  Operands operands(Rows::contiguous);
  AttentionProblem problem({.name = "", .lengths = {{4, 40}}}, operands);
  problem.layout.scale = 200.0f;
  const Result result = attend(problem);
  EXPECT_TRUE(all_finite(result.out));
  EXPECT_TRUE(all_finite(result.log_sum_exp));
}

}  // namespace
}  // namespace attend
