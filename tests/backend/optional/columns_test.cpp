#include <gtest/gtest.h>

#include <vector>

#include "backend/backend_test.h"

namespace attend {
namespace {

class Columns : public EachBackend {
 protected:
  const Tensor x_ = Tensor::from(std::vector<float>{1, -2, 3, -4, 5, -6}, {2, 3});
};

INSTANTIATE_TEST_SUITE_P(On, Columns, testing::Values(&reference_backend, &fast_backend),
                         backend_name);

TEST_P(Columns, AreGathered) {
  const Tensor y = Tensor::empty({2, 2});
  kernels().gather_columns(x_, {2, -1, 0, 1}, 9.0f, y);
  EXPECT_EQ(y.to_vector(), (std::vector<float>{3, 9, -4, 5}));
}

TEST_P(Columns, AreFilled) {
  kernels().fill_columns(x_, {2, -1, 0, 1}, 7.0f);
  EXPECT_EQ(x_.to_vector(), (std::vector<float>{1, -2, 7, 7, 7, -6}));
}

TEST_P(Columns, AreAddedTo) {
  const Tensor values = Tensor::from(std::vector<float>{10, 20, 30, 40}, {2, 2});
  kernels().add_to_columns(x_, {2, -1, 0, 0}, values);
  EXPECT_EQ(x_.to_vector(), (std::vector<float>{1, -2, 13, 66, 5, -6}));
}

TEST_P(Columns, ArePenalized) {
  kernels().penalize_columns(x_, {0, 1, -1, 2}, 2.0f);
  EXPECT_EQ(x_.to_vector(), (std::vector<float>{0.5f, -4, 3, -4, 5, -12}));
}

TEST_P(Columns, MayBeNone) {
  kernels().fill_columns(x_, std::vector<std::int32_t>(), 7.0f);
  EXPECT_EQ(x_.to_vector(), (std::vector<float>{1, -2, 3, -4, 5, -6}));
  kernels().fill_columns(x_.slice_rows(0, 0), std::vector<std::int32_t>(), 7.0f);
}

}  // namespace
}  // namespace attend
