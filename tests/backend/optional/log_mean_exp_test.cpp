// The mean of probabilities by their logarithms: the numbers that vector code could get wrong.
#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "backend/backend_test.h"
#include "backend/instruction_set.h"
#include "backend/operands.h"

namespace attend {
namespace {

constexpr std::int64_t kMeanRows = 3;
constexpr std::int64_t kMeanColumns = 19;

class LogMeanExp : public EachBackend {
 protected:
  // Of tensors that are filled with one number each.
  static Tensor mean(Backend& kernels, const std::vector<float>& values) {
    std::vector<Tensor> members;
    for (const float value : values)
      members.push_back(Tensor::full({kMeanRows, kMeanColumns}, value));
    const Tensor y = Tensor::empty({kMeanRows, kMeanColumns});
    kernels.log_mean_exp(members, y);
    return y;
  }
  void expect_mean(const std::vector<float>& values, float expected) const {
    for (const float found : mean(kernels(), values).to_vector())
      ASSERT_NEAR(found, expected, 1e-6f + std::abs(expected) * 1e-6f);
  }
};
INSTANTIATE_TEST_SUITE_P(On, LogMeanExp, ::testing::Values(&reference_backend, &fast_backend),
                         backend_name);

TEST_P(LogMeanExp, IsTheLogarithmOfTheMean) {
  expect_mean({std::log(0.2f), std::log(0.6f)}, std::log(0.4f));
  expect_mean({std::log(0.9f), std::log(0.3f), std::log(0.3f)}, std::log(0.5f));
  expect_mean({-200.0f, -1000.0f}, -200.0f - std::log(2.0f));  // both underflow
}

TEST_P(LogMeanExp, OfAnImpossibleAndAPossibleTokenIsThatOfTheOther) {
  expect_mean({-INFINITY, -3.0f}, -3.0f - std::log(2.0f));
}

TEST_P(LogMeanExp, SpoilsOnlyTheElementsWithANaN) {
  for (const std::size_t bad : {0u, 1u}) {
    Operands operands(Rows::strided);
    std::vector<Tensor> members{operands.normal(kMeanRows, kMeanColumns),
                                operands.normal(kMeanRows, kMeanColumns)};
    for (const std::int64_t column : {0, 7, 18}) members[bad].row(1)[column] = NAN;
    const Tensor y = operands.output(kMeanRows, kMeanColumns);
    kernels().log_mean_exp(members, y);
    for (std::int64_t r = 0; r < kMeanRows; ++r)
      for (std::int64_t c = 0; c < kMeanColumns; ++c)
        EXPECT_EQ(std::isnan(y.row(r)[c]), std::isnan(members[bad].row(r)[c]))
            << "(" << r << ", " << c << ")";
  }
}

void expect_equal_numbers_keep_their_bits(Backend& kernels) {
  for (const std::size_t count : {1u, 2u, 3u, 7u, 41u}) {
    for (const float value : {-0.3f, -17.123457f, 0.0f, -1e-7f, -INFINITY}) {
      const Tensor all = Tensor::full({kMeanRows, kMeanColumns}, value),
                   y = Tensor::empty({kMeanRows, kMeanColumns});
      kernels.log_mean_exp(std::vector<Tensor>(count, all), y);
      for (const float found : y.to_vector()) ASSERT_EQ(found, value) << count << " members";
    }
  }
}

TEST_P(LogMeanExp, OfEqualNumbersKeepsTheirBits) {
  expect_equal_numbers_keep_their_bits(kernels());
}

// The kernels that the best instruction set of this machine hides.
TEST(LogMeanExpOfEqualNumbers, KeepsTheirBitsOnEveryInstructionSet) {
  for (const std::string& set : usable_instruction_sets()) {
    const ScopedInstructionSet scoped(set);
    expect_equal_numbers_keep_their_bits(fast_backend());
  }
}

}  // namespace
}  // namespace attend
