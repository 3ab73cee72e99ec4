#include "attend/ops/attention/rotary.h"

#include <gtest/gtest.h>

#include <vector>

#include "attend/tensor/tensor.h"

namespace attend {
namespace {

TEST(RepeatGroups, PutsTheCopiesOfAGroupSideBySide) {
  const Variable x(Tensor::from(std::vector<float>{1, 2, 3, 4, 5, 6, 7, 8}, {2, 4}));
  const Tensor y = repeat_groups(x, 2, 2).value();
  ASSERT_EQ(y.shape(), (Shape{2, 8}));
  EXPECT_EQ(std::vector<float>(y.row(0), y.row(0) + 8),
            (std::vector<float>{1, 2, 1, 2, 3, 4, 3, 4}));
  EXPECT_EQ(std::vector<float>(y.row(1), y.row(1) + 8),
            (std::vector<float>{5, 6, 5, 6, 7, 8, 7, 8}));
}

}  // namespace
}  // namespace attend
