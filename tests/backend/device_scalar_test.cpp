#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

#include "attend/backend/backend.h"
#include "backend/guarded_device.h"
#include "backend/scoped_backend.h"

namespace attend {
namespace {

class Scalars : public testing::TestWithParam<Backend*> {
 protected:
  Backend& kernels() const { return *GetParam(); }
  static double stored(const Tensor& y) { return y.item(); }
};

TEST_P(Scalars, AreSumsInDoublePrecision) {
  const Tensor x = Tensor::from(std::vector<float>{3, -4, 1e8f, 1}, {2, 2});
  EXPECT_EQ(kernels().sum(x), 1e8);
  EXPECT_EQ(kernels().sum_of_squares(x.slice_rows(0, 1)), 25.0);
  EXPECT_EQ(kernels().sum(Tensor::empty({0, 3})), 0.0);
}

TEST_P(Scalars, AreStoredTimesAFactor) {
  const Tensor y = Tensor::full({1}, 9.0f);
  kernels().store(kernels().sum(Tensor::full({6}, 0.5f)), 0.1, y);
  EXPECT_EQ(stored(y), static_cast<float>(3.0 * 0.1));
  kernels().store(2.5, 2.0, y);
  EXPECT_EQ(stored(y), 5.0);
}

TEST_P(Scalars, ScaleWhatIsAdded) {
  const Tensor x = Tensor::from(std::vector<float>{1, 2}, {2}),
               y = Tensor::from(std::vector<float>{10, 20}, {2});
  kernels().scaled_add(kernels().sum(Tensor::full({3}, 1.0f)), 2.0f, x, 0.5f, y);
  EXPECT_EQ(y.to_vector(), (std::vector<float>{11, 22}));
  kernels().scaled_add(DeviceScalar(Tensor::full({1}, -1.0f)), 1.0f, x, 0.0f, y);
  EXPECT_EQ(y.to_vector(), (std::vector<float>{-1, -2}));
}

TEST_P(Scalars, BringAVectorToALength) {
  EXPECT_EQ(kernels().scale_to_norm(25.0, 10.0), 2.0);
  EXPECT_EQ(kernels().scale_to_norm(25.0, 1.0), static_cast<double>(0.2f));
  EXPECT_EQ(kernels().scale_to_norm(0.0, 1.0), 0.0) << "no length";
}

TEST_P(Scalars, ClipOnlyWhatIsLonger) {
  EXPECT_EQ(kernels().clip_to_norm(25.0, 10.0), 1.0);
  EXPECT_EQ(kernels().clip_to_norm(25.0, 5.0), 1.0);
  EXPECT_EQ(kernels().clip_to_norm(25.0, 2.5), 0.5);
  EXPECT_EQ(kernels().clip_to_norm(std::numeric_limits<double>::quiet_NaN(), 2.5), 1.0)
      << "the gradient itself tells";
}

INSTANTIATE_TEST_SUITE_P(Of, Scalars, testing::Values(&reference_backend(), &fast_backend()),
                         [](const auto& test) { return std::string(test.param->name()); });

TEST(ScalarsOfADevice, StayThereUntilSomebodyLooks) {
  const Device device = guarded_device();
  const RuntimeScope scope({.threads = 1, .device = device});
  auto& memory = *static_cast<GuardedMemory*>(device.memory);
  const Tensor x = Tensor::full({4}, 2.0f), y = Tensor::zeros({4});
  const int before = memory.copies_to_host;
  const DeviceScalar squares = backend()->sum_of_squares(x);
  EXPECT_EQ(squares.element().memory(), &memory);
  backend()->scaled_add(backend()->clip_to_norm(squares, 2.0), 1.0f, x, 0.0f, y);
  EXPECT_EQ(memory.copies_to_host, before);
  EXPECT_EQ(squares, 16.0);
  EXPECT_EQ(memory.copies_to_host, before + 1);
  EXPECT_EQ(y.to_vector(), std::vector<float>(4, 1.0f));
}

}  // namespace
}  // namespace attend
