#include "attend/collective/tree_sum.h"

#include <gtest/gtest.h>

#include <cmath>

#include "attend/backend/backend.h"
#include "attend/core/random.h"
#include "backend/guarded_device.h"
#include "collective/thread_processes.h"
#include "tensor/expect_error.h"

namespace attend {
namespace {

using Floats = std::vector<float>;

// Of so different sizes that every order of adding up has other bits.
Floats values_of(int rank, std::int64_t size) {
  Random random(RandomKey{11, static_cast<std::uint64_t>(rank)});
  Floats values;
  for (std::int64_t i = 0; i < size; ++i)
    values.push_back((random.uniform() - 0.5f) * std::pow(10.0f, random.uniform() * 6 - 3));
  return values;
}

// As the header says, by one process.
Floats tree_of(int begin, int end, std::int64_t size) {
  if (end - begin == 1) return values_of(begin, size);
  const int middle = begin + (end - begin) / 2;
  Floats sum = tree_of(begin, middle, size);
  const Floats upper = tree_of(middle, end, size);
  for (std::size_t i = 0; i < sum.size(); ++i) sum[i] += upper[i];
  return sum;
}

Floats one_after_another(int count, std::int64_t size) {
  Floats sum = values_of(0, size);
  for (int rank = 1; rank < count; ++rank) {
    const Floats next = values_of(rank, size);
    for (std::size_t i = 0; i < sum.size(); ++i) sum[i] += next[i];
  }
  return sum;
}

TEST(TreeSum, HasTheBitsOfOneProcessOnAll) {
  for (const int processes : {1, 2, 4, 8})
    for (const std::int64_t size : {0, 1, 2, 3, 7, 8, 1000, 4099}) {
      SCOPED_TRACE(testing::Message() << processes << " processes, " << size << " values");
      const Floats expected = tree_of(0, processes, size);
      in_processes(processes, [&](const auto& process) {
        const Tensor values = Tensor::from(values_of(process->rank(), size), {size});
        sum_over_processes(*process, values);
        EXPECT_EQ(values.to_vector(), expected) << "rank " << process->rank();
      });
    }
}

TEST(TreeSum, IsNotTheSumOfOneAfterAnother) {
  EXPECT_NE(tree_of(0, 8, 1000), one_after_another(8, 1000));
}

TEST(TreeSum, SendsAsFewBytesAsAnyOtherOrder) {
  constexpr std::int64_t kSize = 4096;
  for (const int processes : {2, 4, 8})
    in_processes(processes, [&](const auto& process) {
      sum_over_processes(*process, Tensor::zeros({kSize}));
      EXPECT_EQ(process->bytes_sent,
                static_cast<std::size_t>(2 * kSize / processes * (processes - 1) * 4));
    });
}

TEST(TreeSum, RefusesNumbersOfProcessesThatAreNoPowerOfTwo) {
  expect_error<ConfigError>(
      [] {
        in_processes(3,
                     [](const auto& process) { sum_over_processes(*process, Tensor::zeros({4})); });
      },
      {"1, 2, 4, 8", "got 3"});
}

TEST(TreeSum, LeavesTheMemoryOfADeviceToItsKernels) {
  const auto runtime =
      std::make_shared<Runtime>(RuntimeOptions{.threads = 1, .device = guarded_device()});
  in_processes(2, [&](const auto& process) {
    const RuntimeScope scope(runtime);
    const Tensor values = Tensor::from(values_of(process->rank(), 9), {9});
    sum_over_processes(*process, values);
    EXPECT_EQ(values.to_vector(), tree_of(0, 2, 9));
  });
}

}  // namespace
}  // namespace attend
