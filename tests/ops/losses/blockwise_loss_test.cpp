#include "attend/ops/losses/blockwise_loss.h"

#include <gtest/gtest.h>

#include <utility>
#include <vector>

#include "attend/backend/backend.h"
#include "attend/ops/linear.h"
#include "ops/operands.h"

namespace attend {
namespace {

using Ranges = std::vector<std::pair<std::int64_t, std::int64_t>>;

Ranges row_blocks(std::int64_t rows, std::int64_t size) {
  Ranges ranges;
  detail::for_row_blocks(rows, size, [&](auto begin, auto end) { ranges.push_back({begin, end}); });
  return ranges;
}

TEST(RowBlocks, CoverEachRowOnce) {
  EXPECT_EQ(row_blocks(7, 3), (Ranges{{0, 3}, {3, 6}, {6, 7}}));
  EXPECT_EQ(row_blocks(6, 3), (Ranges{{0, 3}, {3, 6}}));
  EXPECT_EQ(row_blocks(2, 3), (Ranges{{0, 2}}));
}

TEST(RowBlocks, OfNoRowsAreOne) { EXPECT_EQ(row_blocks(0, 3), (Ranges{{0, 0}})); }

TEST(LossScale, DividesByTheNormalizerOrTheRows) {
  EXPECT_EQ(detail::loss_scale(4.0, 10), 0.25f);
  EXPECT_EQ(detail::loss_scale(0.0, 10), 0.1f);
  EXPECT_EQ(detail::loss_scale(0.0, 0), 0.0f);
}

class BlockwiseLoss : public testing::Test {
 protected:
  Variable leaf(const Shape& shape) { return Variable(normal_tensor(shape, random_), true); }

  // The gradients of all rows at once and in blocks of 3.
  void expect_gradients_of_linear(std::int64_t rows) {
    const Variable x = leaf({rows, 4});
    const AffineMap map{leaf({5, 4}), leaf({5})};
    const Tensor dy = normal_tensor({rows, 5}, random_);
    const Variable y = linear(x, map.weight, map.bias);
    backward(y, dy);

    detail::BlockwiseProjection projection(map, Precision::f32, true);
    const Tensor logits = Tensor::empty(y.shape()), dx = Tensor::empty(x.shape());
    detail::for_row_blocks(rows, 3, [&](auto begin, auto end) {
      const Tensor input = x.value().slice_rows(begin, end);
      projection.forward(input, logits.slice_rows(begin, end));
      projection.backward(dy.slice_rows(begin, end), input, dx.slice_rows(begin, end));
    });
    EXPECT_TRUE(same_bits(logits, y.value()));
    EXPECT_LE(largest_difference(dx, x.gradient()), 1e-6);
    EXPECT_LE(largest_difference(projection.dweight(), map.weight.gradient()), 1e-6);
    EXPECT_LE(
        largest_difference(projection.dbias().reshape({1, 5}), map.bias.gradient().reshape({1, 5})),
        1e-6);
  }

  Random random_{{3, 4}};
};

TEST_F(BlockwiseLoss, ProjectsLikeALinearLayer) {
  for (const std::int64_t rows : {0, 2, 7}) expect_gradients_of_linear(rows);
}

TEST_F(BlockwiseLoss, MayWriteTheGradientOverTheInput) {
  const AffineMap map{leaf({5, 4}), {}};
  const Tensor x = normal_tensor({3, 4}, random_), dy = normal_tensor({3, 5}, random_);
  detail::BlockwiseProjection apart(map, Precision::f32, true), in_place = apart;
  const Tensor dx = Tensor::empty(x.shape());
  apart.backward(dy, x, dx);
  const Tensor dweight = apart.dweight().clone();
  in_place.backward(dy, x, x);
  EXPECT_TRUE(same_bits(x, dx));
  EXPECT_TRUE(same_bits(in_place.dweight(), dweight));
}

TEST_F(BlockwiseLoss, ComputesOnlyGradientsThatAreRequired) {
  const AffineMap map{Variable(normal_tensor({5, 4}, random_)), leaf({5})};
  const detail::BlockwiseProjection projection(map, Precision::f32, true);
  EXPECT_FALSE(projection.dweight().defined());
  EXPECT_TRUE(projection.dbias().defined());
  const detail::BlockwiseProjection evaluated(map, Precision::f32, false);
  EXPECT_FALSE(evaluated.dbias().defined());
}

TEST_F(BlockwiseLoss, PassesItsGradientsOnTimesThatOfTheLoss) {
  const auto column = [](const std::vector<float>& values) {
    return Tensor::from(values, {std::ssize(values), 1});
  };
  for (const float dloss : {1.0f, 3.0f}) {
    const Variable x = leaf({2, 1}), table = leaf({3, 1});
    const CrossEntropy result =
        detail::RowLosses{column({1.0f, 3.0f}), column({2.0f, 5.0f}), 0.5f}.recorded(
            {{x, column({1.0f, 2.0f})},
             {table, column({4.0f, 5.0f}), ids({2, 0})},
             {table, column({6.0f}), ids({2})}});
    EXPECT_EQ(result.loss.value().item(), 2.0f);
    EXPECT_EQ(result.loss_sum, 4.0);
    EXPECT_EQ(result.nll, 7.0);
    backward(result.loss, dloss == 1.0f ? Tensor() : Tensor::full({1}, dloss));
    EXPECT_EQ(x.gradient().to_vector(), (std::vector<float>{dloss, 2 * dloss}));
    EXPECT_EQ(table.gradient().to_vector(), (std::vector<float>{5 * dloss, 0, 10 * dloss}));
  }
}

}  // namespace
}  // namespace attend
