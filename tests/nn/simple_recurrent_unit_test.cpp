#include "attend/nn/simple_recurrent_unit.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "attend/backend/backend.h"
#include "backend/scoped_backend.h"
#include "ops/operands.h"

namespace attend {
namespace {

using Rows = std::vector<std::int32_t>;

class SimpleRecurrence : public testing::TestWithParam<Backend& (*)()> {
 protected:
  SimpleRecurrence() : backend_(GetParam()()) { parameters_.allocate(3); }

  Variable whole(const Variable& x, const Rows& offsets) {
    AttentionLayout layout;
    layout.query_offsets = layout.key_offsets = offsets;
    return unit_.self(x, layout, {}, pass_);
  }

  const float* values_of(const std::string& name) const {
    for (const auto& entry : parameters_.entries())
      if (entry.name == name) return parameters_.values().data() + entry.offset;
    return nullptr;
  }

  static constexpr std::int64_t kWidth = 5;
  ScopedBackend backend_;
  ParameterSet parameters_;
  SimpleRecurrentUnit unit_{parameters_, "recurrence", kWidth};
  Random random_{{1, 2}};
  Pass pass_ = Pass::inference();
};

INSTANTIATE_TEST_SUITE_P(Of, SimpleRecurrence, testing::Values(&reference_backend, &fast_backend),
                         [](const auto& suite) {
                           return suite.param == &reference_backend ? "Reference" : "Fast";
                         });

// The equations of Kim et al. 2019, in double.
TEST_P(SimpleRecurrence, IsWhatTheEquationsSay) {
  const Tensor x = normal_tensor({4, kWidth}, random_);
  const Tensor y = whole(Variable(x), {0, 1, 4}).value();
  const float *const w = values_of("recurrence.value.weight"),
                     *const u = values_of("recurrence.gate.weight"),
                     *const b = values_of("recurrence.gate.bias");
  const auto product = [&](const float* weight, std::int64_t n, std::int64_t i) {
    double sum = 0;
    for (std::int64_t j = 0; j < kWidth; ++j) sum += double{weight[i * kWidth + j]} * x.row(n)[j];
    return sum;
  };
  for (std::int64_t i = 0; i < kWidth; ++i) {
    double state = 0;
    for (std::int64_t n = 0; n < 4; ++n) {
      if (n == 1) state = 0;  // the second sequence
      const double f = 1 / (1 + std::exp(-product(u, n, i) - b[i]));
      state = f * state + (1 - f) * product(w, n, i);
      EXPECT_NEAR(y.row(n)[i], std::max(state, 0.0), 1e-6) << n << " " << i;
    }
  }
}

TEST_P(SimpleRecurrence, GivesTheSameBitsTokenByTokenAndAtOnce) {
  const NoGradient guard;
  const Tensor x = normal_tensor({6, kWidth}, random_);
  const Tensor at_once = whole(Variable(x), {0, 6}).value();
  KVCache cache(1, 1);
  std::int64_t done = 0;
  for (const std::int32_t count : {1, 3, 1, 1}) {
    cache.extend(Rows{count});
    const Tensor part =
        unit_.self_cached(Variable(x.slice_rows(done, done + count)), cache, 0).value();
    EXPECT_TRUE(same_bits(part, at_once.slice_rows(done, done + count))) << done;
    done += count;
  }
}

}  // namespace
}  // namespace attend
