#include "attend/collective/tree_sum.h"

#include <gtest/gtest.h>

#include <cmath>

#include "attend/backend/backend.h"
#include "attend/core/random/random.h"
#include "attend/tensor/bf16.h"
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

float on_wire(float x, Wire wire) { return wire == Wire::f32 ? x : float_of_bf16(nearest_bf16(x)); }

// As the header says, by one process: whatever is added up is rounded first.
Floats tree_of(int begin, int end, std::int64_t size, Wire wire = Wire::f32) {
  if (end - begin == 1) return values_of(begin, size);
  const int middle = begin + (end - begin) / 2;
  Floats sum = tree_of(begin, middle, size, wire);
  const Floats upper = tree_of(middle, end, size, wire);
  for (std::size_t i = 0; i < sum.size(); ++i)
    sum[i] = on_wire(sum[i], wire) + on_wire(upper[i], wire);
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

// The sum of eight tensors, of which every process has equally many neighbors.
Floats sum_of_eight(Collective& process, std::int64_t size, Wire wire) {
  const int own = 8 / process.size(), first = process.rank() * own;
  std::vector<Tensor> sums;
  for (int i = first; i < first + own; ++i)
    sums.push_back(Tensor::from(values_of(i, size), {size}));
  for (; sums.size() > 1; sums.erase(sums.begin() + std::ssize(sums) / 2, sums.end()))
    for (std::size_t i = 0; i < sums.size() / 2; ++i) {
      add_branch(sums[2 * i], sums[2 * i + 1], wire);
      sums[i] = sums[2 * i + 1];
    }
  sum_over_processes(process, sums.front(), wire);
  return sums.front().to_vector();
}

TEST(TreeSum, OnAWireOf16BitsHasTheBitsOfOneProcessOnAnyNumber) {
  for (const std::int64_t size : {1, 7, 4099}) {
    Floats expected = tree_of(0, 8, size, Wire::bf16);
    for (float& value : expected) value = on_wire(value, Wire::bf16);
    for (const int processes : {1, 2, 4, 8})
      in_processes(processes, [&](const auto& process) {
        EXPECT_EQ(sum_of_eight(*process, size, Wire::bf16), expected)
            << process->rank() << " of " << processes;
      });
  }
}

// Each rounding errs by at most 2^-8 of a number: of the four values, their sums, and the total.
TEST(TreeSum, OnAWireOf16BitsIsNearTheExactSum) {
  constexpr std::int64_t kSize = 1000;
  const Floats exact = tree_of(0, 4, kSize);
  Floats magnitudes(kSize);
  for (int rank = 0; rank < 4; ++rank) {
    const Floats values = values_of(rank, kSize);
    for (std::size_t i = 0; i < values.size(); ++i) magnitudes[i] += std::abs(values[i]);
  }
  in_processes(4, [&](const auto& process) {
    const Tensor values = Tensor::from(values_of(process->rank(), kSize), {kSize});
    sum_over_processes(*process, values, Wire::bf16);
    const Floats sums = values.to_vector();
    EXPECT_NE(sums, exact);
    for (std::size_t i = 0; i < sums.size(); ++i)
      EXPECT_NEAR(sums[i], exact[i], magnitudes[i] * 3.1f / 256) << i;
  });
}

TEST(TreeSum, OnAWireOf16BitsShowsWhatIsNotFinite) {
  in_processes(2, [&](const auto& process) {
    const Tensor values =
        Tensor::from(process->rank() == 1 ? Floats{1, NAN, INFINITY} : Floats{1, 2, 3}, {3});
    sum_over_processes(*process, values, Wire::bf16);
    const Floats sums = values.to_vector();
    EXPECT_EQ(sums[0], 2.0f);
    EXPECT_TRUE(std::isnan(sums[1]));
    EXPECT_EQ(sums[2], INFINITY);
  });
}

TEST(TreeSum, IsNotTheSumOfOneAfterAnother) {
  EXPECT_NE(tree_of(0, 8, 1000), one_after_another(8, 1000));
}

TEST(TreeSum, SendsAsFewBytesAsAnyOtherOrder) {
  constexpr std::int64_t kSize = 4096;
  for (const int processes : {2, 4, 8})
    in_processes(processes, [&](const auto& process) {
      for (const Wire wire : {Wire::f32, Wire::bf16}) {
        process->bytes_sent = 0;
        sum_over_processes(*process, Tensor::zeros({kSize}), wire);
        EXPECT_EQ(process->bytes_sent,
                  static_cast<std::size_t>(2 * kSize / processes * (processes - 1) *
                                           (wire == Wire::f32 ? 4 : 2)));
      }
    });
}

// Longer than a message, and not a multiple of one.
TEST(TreeSum, SendsLongTensorsInPieces) {
  constexpr std::int64_t kSize = (std::int64_t{5} << 20) + 3;
  in_processes(2, [&](const auto& process) {
    Floats own(kSize);
    for (std::size_t i = 0; i < own.size(); ++i)
      own[i] = static_cast<float>(i % 1000 + 1) * (process->rank() == 0 ? 1.0f : 0.5f);
    for (const Wire wire : {Wire::f32, Wire::bf16}) {
      const Tensor values = Tensor::from(own, {kSize});
      sum_over_processes(*process, values, wire);
      const Floats sums = values.to_vector();
      for (std::size_t i = 0; i < sums.size(); ++i) {
        const auto lower = static_cast<float>(i % 1000 + 1);
        ASSERT_EQ(sums[i], on_wire(on_wire(lower, wire) + on_wire(lower * 0.5f, wire), wire)) << i;
      }
    }
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
  for (const Wire wire : {Wire::f32, Wire::bf16})
    in_processes(2, [&](const auto& process) {
      const RuntimeScope scope(runtime);
      const Tensor values = Tensor::from(values_of(process->rank(), 9), {9});
      sum_over_processes(*process, values, wire);
      Floats expected = tree_of(0, 2, 9, wire);
      for (float& value : expected) value = on_wire(value, wire);
      EXPECT_EQ(values.to_vector(), expected);
    });
}

}  // namespace
}  // namespace attend
