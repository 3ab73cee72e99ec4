// A NaN must reach the loss, where training stops because of it: no kernel may turn one into a
// number. It stays in its row.
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <functional>
#include <vector>

#include "attend/backend/cpu/quantized_weights.h"
#include "backend/activations.h"
#include "backend/attention_pattern.h"
#include "backend/backend_test.h"
#include "backend/instruction_set.h"
#include "tensor/all_finite.h"

namespace attend {
namespace {

using InvalidNumbers = EachBackend;
INSTANTIATE_TEST_SUITE_P(On, InvalidNumbers, ::testing::Values(&reference_backend, &fast_backend),
                         backend_name);

constexpr std::int64_t kInvalidRows = 5;
constexpr std::int64_t kInvalidColumns = 19;
constexpr std::int64_t kBadRow = 2;

bool all_nan(const Tensor& x) {
  for (const float value : x.to_vector()) {
    if (!std::isnan(value)) return false;
  }
  return true;
}

// Puts a NaN in one row of the input of `kernel` (x -> y), at the places where vector code and its
// tails could lose it.
void expect_spoils_its_row(const std::function<void(const Tensor& x, const Tensor& y)>& kernel) {
  for (const std::int64_t column : {0, 7, 18}) {
    Operands operands(Rows::strided);
    const Tensor x = operands.normal(kInvalidRows, kInvalidColumns);
    const Tensor y = operands.output(kInvalidRows, kInvalidColumns);
    x.row(kBadRow)[column] = NAN;
    kernel(x, y);
    for (std::int64_t r = 0; r < kInvalidRows; ++r) {
      if (r == kBadRow) {
        EXPECT_TRUE(all_nan(y.slice_rows(r, r + 1))) << "NaN in column " << column;
      } else {
        EXPECT_TRUE(all_finite(y.slice_rows(r, r + 1))) << "row " << r;
      }
    }
  }
}

TEST_P(InvalidNumbers, SpoilTheWholeRowOfASoftmax) {
  Backend& b = kernels();
  expect_spoils_its_row([&](const Tensor& x, const Tensor& y) { b.softmax(x, 0.5f, y); });
  expect_spoils_its_row([&](const Tensor& x, const Tensor& y) { b.log_softmax(x, y); });
}

TEST_P(InvalidNumbers, SpoilTheWholeRowOfALayerNorm) {
  Backend& b = kernels();
  const Tensor gamma = Tensor::full({kInvalidColumns}, 1.0f);
  const Tensor beta = Tensor::zeros({kInvalidColumns});
  expect_spoils_its_row(
      [&](const Tensor& x, const Tensor& y) { b.layer_norm(x, gamma, beta, 1e-5f, y, {}, {}); });
}

TEST_P(InvalidNumbers, SpoilTheWholeRowOfALinearMap) {
  Backend& b = kernels();
  const Tensor weight = Tensor::full({kInvalidColumns, kInvalidColumns}, 0.5f);
  for (const Activation activation : kActivations) {
    for (const Precision precision : {Precision::f32, Precision::bf16})
      expect_spoils_its_row([&](const Tensor& x, const Tensor& y) {
        b.linear(x, weight, {}, {activation, precision}, y);
      });
  }
}

TEST_P(InvalidNumbers, SurviveActivations) {
  for (const Activation activation : kActivations) {
    Operands operands(Rows::strided);
    const Tensor x = operands.normal(kInvalidRows, kInvalidColumns);
    const Tensor y = operands.output(kInvalidRows, kInvalidColumns);
    for (const std::int64_t column : {0, 7, 18}) x.row(kBadRow)[column] = NAN;
    kernels().activate(activation, x, y);
    for (std::int64_t r = 0; r < kInvalidRows; ++r) {
      for (std::int64_t c = 0; c < kInvalidColumns; ++c)
        EXPECT_EQ(std::isnan(y.row(r)[c]), std::isnan(x.row(r)[c])) << "(" << r << ", " << c << ")";
    }
  }
}

// The kernels that the best instruction set of this machine hides.
TEST(InvalidNumbersInRelu, SurviveOnEveryInstructionSet) {
  for (const std::string& set : usable_instruction_sets()) {
    const ScopedInstructionSet scoped(set);
    const Tensor x = Tensor::full({3, kInvalidColumns}, NAN);
    const Tensor y = Tensor::zeros({3, kInvalidColumns});
    fast_backend().activate(Activation::relu, x, y);
    EXPECT_TRUE(all_nan(y)) << "activate, set " << set;
    const Tensor weight = Tensor::full({kInvalidColumns, kInvalidColumns}, 0.5f);
    fast_backend().linear(x, weight, {}, {Activation::relu}, y);
    EXPECT_TRUE(all_nan(y)) << "linear, set " << set;
  }
}

TEST_P(InvalidNumbers, ReachTheLossAndItsGradient) {
  Backend& b = kernels();
  expect_spoils_its_row([&](const Tensor& x, const Tensor& y) {
    const Tensor losses = Tensor::empty({kInvalidRows});
    const Tensor nll = Tensor::empty({kInvalidRows});
    b.cross_entropy(x, std::vector<std::int32_t>{0, 1, 2, 3, 4}, 0.1f, 1.0f, losses, nll);
    for (std::int64_t r = 0; r < kInvalidRows; ++r)
      EXPECT_EQ(std::isnan(losses.data()[r]), r == kBadRow);
    y.copy_from(x);
  });
}

TEST_P(InvalidNumbers, InAQuerySpoilItsHeadAlone) {
  Operands operands(Rows::contiguous);
  const AttentionProblem problem({.name = "", .lengths = {{3, 20}, {2, 2}}}, operands);
  const Tensor out = operands.output(5, 16);
  const Tensor log_sum_exp = operands.output(5, 2);
  problem.q.row(1)[8 + 3] = NAN;  // head 1
  kernels().attention(problem.operands(), problem.layout, out, log_sum_exp, {});
  EXPECT_TRUE(all_nan(out.slice_rows(1, 2).slice_columns(8, 16)));
  EXPECT_TRUE(std::isnan(log_sum_exp.row(1)[1]));
  EXPECT_TRUE(all_finite(out.slice_columns(0, 8)));
  EXPECT_TRUE(all_finite(out.slice_rows(0, 1)));
  EXPECT_TRUE(all_finite(out.slice_rows(2, 5)));
}

TEST_P(InvalidNumbers, InAKeySpoilTheQueriesThatSeeIt) {
  Operands operands(Rows::contiguous);
  const AttentionProblem problem({.name = "", .lengths = {{20, 20}}, .heads = 1, .causal = true},
                                 operands);
  const Tensor out = operands.output(20, 8);
  problem.k.row(13)[2] = NAN;
  kernels().attention(problem.operands(), problem.layout, out, {}, {});
  EXPECT_TRUE(all_finite(out.slice_rows(0, 13)));
  EXPECT_TRUE(all_nan(out.slice_rows(13, 20)));
}

TEST_P(InvalidNumbers, ReachTheParameterThroughAdam) {
  const Tensor gradient = Tensor::zeros({37});
  gradient.data()[36] = NAN;
  const Tensor parameter = Tensor::full({37}, 1.0f);
  const Tensor mean = Tensor::zeros({37});
  const Tensor variance = Tensor::zeros({37});
  kernels().adam({.learning_rate = 0.1f}, 1.0, gradient, parameter, mean, variance);
  EXPECT_TRUE(std::isnan(parameter.data()[36]));
  EXPECT_EQ(parameter.data()[35], 1.0f);
}

TEST_P(InvalidNumbers, RemainWhatTheyAreInBf16) {
  const std::vector<float> numbers{NAN, INFINITY, -INFINITY, std::bit_cast<float>(0x7F800001u)};
  const Tensor x = Tensor::from(numbers, {4}), narrow = Tensor::empty({4}, DType::bf16),
               y = Tensor::empty({4});
  kernels().convert(x, narrow);
  kernels().convert(narrow, y);
  EXPECT_TRUE(std::isnan(y.data()[0]));
  EXPECT_EQ(y.data()[1], INFINITY);
  EXPECT_EQ(y.data()[2], -INFINITY);
  EXPECT_TRUE(std::isnan(y.data()[3])) << "all that says so is in the lower half";
}

TEST_P(InvalidNumbers, MakeTheScaleOfTheirGroupInvalid) {
  for (const float number : {NAN, INFINITY}) {
    const Tensor x = Tensor::full({1, 40}, 1.0f), y = Tensor::empty({1, 48}, DType::i8);
    x.data()[33] = number;
    kernels().quantize_groups(x, 20, y);
    const Tensor groups = y.reshape({2, 24});
    EXPECT_EQ(quantized_scale(groups, 0), 1.0f / 127.0f);
    EXPECT_TRUE(std::isnan(quantized_scale(groups, 1)));
  }
}

TEST_P(InvalidNumbers, AreNotMadeOfRowsNextToNothingInEightBits) {
  const Tensor weight = quantize_weights(Tensor::full({5, 8}, 1.0f));
  for (const float number : {0.0f, 1e-40f, 1e-37f, 0.9e-30f}) {
    const Tensor y = Tensor::full({1, 5}, 7.0f);
    kernels().linear(Tensor::full({1, 8}, number), weight, {}, {}, y);
    for (const float sum : y.span()) EXPECT_EQ(sum, 0.0f) << number;
  }
}

TEST_P(InvalidNumbers, ShowInWhatIsChosen) {
  for (const float number : {NAN, INFINITY}) {
    const Tensor x = Tensor::full({1, 2500}, 1.0f);
    x.data()[1300] = number;
    const Tensor values = Tensor::empty({1, 4});
    kernels().log_softmax_top_k(x, 4, values, Tensor::empty({1, 4}, DType::i32));
    for (const float value : values.span()) EXPECT_TRUE(std::isnan(value)) << number;
  }
}

TEST_P(InvalidNumbers, OfNothingElseGiveNoIndexOutOfRange) {
  const Tensor x = Tensor::full({1, 1030}, NAN), values = Tensor::empty({1, 3}),
               indices = Tensor::empty({1, 3}, DType::i32);
  for (std::int32_t& index : indices.span<std::int32_t>()) index = -1;
  kernels().log_softmax_top_k(x, 3, values, indices);
  for (int i = 0; i < 3; ++i) {
    EXPECT_TRUE(std::isnan(values.data()[i]));
    EXPECT_TRUE(indices.data<std::int32_t>()[i] >= 0 && indices.data<std::int32_t>()[i] < 1030);
  }
}

TEST_P(InvalidNumbers, RankLastInTopK) {
  const Tensor x = Tensor::from(std::vector<float>{NAN, 1, 3, NAN, 2, -INFINITY, 3}, {1, 7});
  const Tensor values = Tensor::empty({1, 4});
  const Tensor indices = Tensor::empty({1, 4}, DType::i32);
  kernels().log_softmax_top_k(x, 4, values, indices);
  const auto found = indices.span<std::int32_t>();
  EXPECT_EQ(std::vector<std::int32_t>(found.begin(), found.end()),
            (std::vector<std::int32_t>{2, 6, 4, 1}));
}

}  // namespace
}  // namespace attend
