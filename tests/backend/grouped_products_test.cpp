// Products with weights in 4 bits are those with the same integers in 8 bits (weights.h), bit for
// bit: with few rows and many, with outliers among the activations, whatever the kernel.
#include <gtest/gtest.h>

#include "attend/backend/cpu/grouped_weights.h"
#include "attend/backend/cpu/packed_weights.h"
#include "backend/backend_test.h"
#include "backend/operands.h"

namespace attend {
namespace {

class GroupedProducts : public EachBackend {};

INSTANTIATE_TEST_SUITE_P(On, GroupedProducts, testing::Values(&reference_backend, &fast_backend),
                         backend_name);

TEST_P(GroupedProducts, HaveTheBitsOfTheSameIntegersInEightBits) {
  for (const std::int64_t depth : {16, 48, 128, 528}) {
    Operands operands(Rows::contiguous);
    const Tensor grouped = group_weights(operands.normal(115, depth)),
                 wide = in_eight_bits(grouped), bias = operands.normal_vector(115),
                 x = operands.with_outliers(40, depth);
    for (const std::int64_t rows : {1, 2, 3, 4, 5, 6, 7, 12, 13, 40}) {
      const auto product = [&](const Tensor& weight) {
        const Tensor y = operands.output(rows, 115);
        kernels().linear(x.slice_rows(0, rows), weight, bias, {Activation::relu}, y);
        return y;
      };
      const Tensor expected = product(wide);
      EXPECT_TRUE(same_bits(product(grouped), expected)) << rows << " x " << depth;
      EXPECT_TRUE(same_bits(product(pack_weights(grouped.clone())), expected))
          << rows << " x " << depth << ", packed";
    }
  }
}

// Sums reach 120 * 127 * depth, beyond 16 bits and beyond the exact integers of a float.
TEST_P(GroupedProducts, AreExactWhereEveryTermIsTheLargest) {
  constexpr std::int64_t kDepth = 8192;
  const Tensor x = Tensor::full({6, kDepth}, 127.0f),
               grouped = pack_weights(group_weights(Tensor::full({32, kDepth}, 120.0f)));
  for (const std::int64_t rows : {1, 6}) {
    const Tensor y = Tensor::empty({rows, 32});
    kernels().linear(x.slice_rows(0, rows), grouped, {}, {}, y);
    for (const float value : y.to_vector()) EXPECT_EQ(value, 120.0f * 127.0f * kDepth);
  }
}

}  // namespace
}  // namespace attend
