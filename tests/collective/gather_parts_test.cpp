#include "attend/collective/gather_parts.h"

#include <gtest/gtest.h>

#include <numeric>

#include "collective/thread_processes.h"
#include "tensor/expect_error.h"

namespace attend {
namespace {

TEST(GatherParts, GivesEveryProcessAllParts) {
  const std::vector<std::vector<std::int64_t>> cases{
      {0, 5},          {0, 2, 5},       {0, 0, 5},       {0, 5, 5},
      {0, 1, 3, 4, 9}, {0, 0, 7, 7, 9}, {0, 9, 9, 9, 9}, {0, 1, 1, 2, 3, 5, 8, 8, 9}};
  for (const std::vector<std::int64_t>& begins : cases) {
    const std::int64_t size = begins.back();
    std::vector<float> whole(static_cast<std::size_t>(size));
    std::iota(whole.begin(), whole.end(), 1.0f);
    SCOPED_TRACE(testing::PrintToString(begins));
    in_processes(static_cast<int>(begins.size()) - 1, [&](const auto& process) {
      const auto rank = static_cast<std::size_t>(process->rank());
      std::vector<float> own(whole.size(), -1.0f);
      std::copy(whole.begin() + begins[rank], whole.begin() + begins[rank + 1],
                own.begin() + begins[rank]);
      const Tensor values = Tensor::from(own, {size});
      gather_parts(*process, values, begins);
      EXPECT_EQ(values.to_vector(), whole) << "rank " << rank;
    });
  }
}

TEST(GatherParts, RefusesNumbersOfProcessesThatAreNoPowerOfTwo) {
  ThreadProcess three(nullptr, 0, 3);
  expect_error<ConfigError>(
      [&] {
        gather_parts(three, Tensor::zeros({4}), std::vector<std::int64_t>{0, 1, 2, 4});
      },
      {"gather_parts", "1, 2, 4, 8", "got 3"});
}

}  // namespace
}  // namespace attend
