#include "attend/nn/gru.h"

#include <gtest/gtest.h>

#include <vector>

#include "attend/backend/backend.h"
#include "backend/scoped_backend.h"
#include "ops/operands.h"

namespace attend {
namespace {

using Numbers = std::vector<std::int32_t>;

TEST(TimeSteps, GoThroughTheTokensOfAllSequencesLongestFirst) {
  const Numbers offsets{0, 1, 4, 4, 6};  // lengths 1, 3, 0, 2
  const TimeSteps steps(offsets, TimeDirection::forward);
  ASSERT_EQ(steps.steps(), 3);
  EXPECT_EQ(steps.sequences(), (Numbers{1, 3, 0, 2}));
  EXPECT_EQ(steps.order(), (Numbers{1, 4, 0, 2, 5, 3}));
  EXPECT_EQ(steps.rows(0), 3);
  EXPECT_EQ(steps.rows(1), 2);
  EXPECT_EQ(steps.rows(2), 1);
  EXPECT_EQ(steps.inverse(), (Numbers{2, 0, 3, 5, 1, 4}));
}

TEST(TimeSteps, GoBackwardFromTheLastTokenOfEverySequence) {
  const Numbers offsets{0, 1, 4, 4, 6};
  const TimeSteps steps(offsets, TimeDirection::backward);
  EXPECT_EQ(steps.order(), (Numbers{3, 5, 0, 2, 4, 1}));
}

TEST(TimeSteps, KeepTheOrderOfEqualSequences) {
  const Numbers offsets{0, 2, 4, 6};
  EXPECT_EQ(TimeSteps(offsets, TimeDirection::forward).sequences(), (Numbers{0, 1, 2}));
}

TEST(TimeSteps, OfNothingAreNone) {
  EXPECT_EQ(TimeSteps(Numbers{0}, TimeDirection::forward).steps(), 0);
  EXPECT_EQ(TimeSteps(Numbers{0, 0, 0}, TimeDirection::forward).steps(), 0);
}

class GruModule : public testing::TestWithParam<Backend& (*)()> {
 protected:
  GruModule() : backend_(GetParam()()) { parameters_.allocate(3); }

  ScopedBackend backend_;
  ParameterSet parameters_;
  BidirectionalGru gru_{parameters_, "gru", 5,
                        9};  // made before the constructor's body, which allocates
  Random random_{{1, 2}};
  Pass pass_ = Pass::inference();
};

INSTANTIATE_TEST_SUITE_P(Of, GruModule, testing::Values(&reference_backend, &fast_backend),
                         [](const auto& suite) {
                           return suite.param == &reference_backend ? "Reference" : "Fast";
                         });

TEST_P(GruModule, GivesEverySequenceTheBitsItHasAlone) {
  const NoGradient guard;
  const Numbers offsets{0, 3, 3, 4, 24, 27};
  const Variable x(normal_tensor({27, 5}, random_));
  const Tensor all = gru_.forward(x, offsets, pass_).value();
  for (std::size_t b = 0; b + 1 < offsets.size(); ++b) {
    const std::int32_t begin = offsets[b], end = offsets[b + 1];
    const Variable alone(x.value().slice_rows(begin, end));
    EXPECT_TRUE(same_bits(gru_.forward(alone, Numbers{0, end - begin}, pass_).value(),
                          all.slice_rows(begin, end)))
        << "sequence " << b;
  }
}

TEST_P(GruModule, ReadsOneHalfFromTheBeginningAndOneFromTheEnd) {
  const NoGradient guard;
  const Tensor x = normal_tensor({6, 5}, random_);
  const Tensor before = gru_.forward(Variable(x), Numbers{0, 6}, pass_).value();
  x.row(4)[0] += 1.0f;  // a change at the fifth token
  const Tensor after = gru_.forward(Variable(x), Numbers{0, 6}, pass_).value();
  EXPECT_TRUE(same_bits(after.slice_rows(0, 4).slice_columns(0, 9),
                        before.slice_rows(0, 4).slice_columns(0, 9)))
      << "no future";
  EXPECT_TRUE(same_bits(after.slice_rows(5, 6).slice_columns(9, 18),
                        before.slice_rows(5, 6).slice_columns(9, 18)))
      << "no past";
  EXPECT_GT(largest_difference(after.slice_rows(5, 6), before.slice_rows(5, 6)), 1e-4);
  EXPECT_GT(largest_difference(after.slice_rows(0, 1), before.slice_rows(0, 1)), 1e-6);
}

TEST_P(GruModule, SendsAGradientToEveryParameter) {
  const Variable x(normal_tensor({6, 5}, random_), true);
  const Variable y = gru_.forward(x, Numbers{0, 4, 6}, pass_);
  backward(y, normal_tensor(y.shape(), random_));
  for (const auto& entry : parameters_.entries())
    EXPECT_GT(backend()->sum_of_squares(parameters_.gradients().slice_rows(
                  entry.offset, entry.offset + entry.shape.size())),
              0.0)
        << entry.name;
}

}  // namespace
}  // namespace attend
