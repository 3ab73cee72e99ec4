#include "attend/core/threads/parallel.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <mutex>
#include <new>
#include <utility>
#include <vector>

#include "attend/error.h"

namespace attend {
namespace {

class Parallel : public ::testing::TestWithParam<int> {
  const RuntimeScope runtime_{{.threads = GetParam()}};
};

TEST_P(Parallel, ForVisitsEveryIndexOnce) {
  for (const std::int64_t count : {0, 1, 2, 3, 7, 64, 1000}) {
    for (const std::int64_t grain : {-1, 0, 1, 5, 2000}) {
      std::vector<std::atomic<int>> visits(static_cast<std::size_t>(count));
      parallel_for(count, grain, [&](std::int64_t begin, std::int64_t end) {
        for (std::int64_t i = begin; i < end; ++i) ++visits[static_cast<std::size_t>(i)];
      });
      for (std::size_t i = 0; i < visits.size(); ++i)
        ASSERT_EQ(visits[i], 1) << "index " << i << " of " << count << ", grain " << grain;
    }
  }
}

TEST_P(Parallel, ForKeepsRangesAtLeastAGrainLong) {
  std::mutex mutex;
  std::vector<std::pair<std::int64_t, std::int64_t>> ranges;
  parallel_for(100, 40, [&](std::int64_t begin, std::int64_t end) {
    const std::lock_guard lock(mutex);
    ranges.emplace_back(begin, end);
  });
  EXPECT_LE(ranges.size(), 3u);  // ceil(100 / 40)
  for (const auto& [begin, end] : ranges)
    EXPECT_GE(end - begin, 33) << "three even parts of 100 when there are threads enough";
}

TEST_P(Parallel, ForDoesNothingForNegativeCounts) {
  parallel_for(-3, 1, [](std::int64_t, std::int64_t) { FAIL() << "called for a negative count"; });
}

TEST_P(Parallel, EachThrowsWhatTheFirstItemThrew) {
  std::atomic<int> visits = 0;
  const auto body = [&](std::int64_t i) {
    if (i <= 3) ++visits;
    if (i == 3 || i == 7) throw DataError(i == 3 ? "three" : "seven");
  };
  try {
    parallel_each(10, body);
    FAIL() << "nothing was thrown";
  } catch (const DataError& error) {
    EXPECT_STREQ(error.what(), "three");
  }
  EXPECT_EQ(visits, 4) << "an item before the one that threw was left out";
}

TEST_P(Parallel, ForThrowsWhatABodyThrew) {
  const auto loop = [] {
    parallel_for(100, 1, [](std::int64_t begin, std::int64_t) {
      if (begin == 0) throw std::bad_alloc();
    });
  };
  EXPECT_THROW(loop(), std::bad_alloc);
  EXPECT_THROW(loop(), std::bad_alloc) << "the pool goes on after an exception";
}

TEST_P(Parallel, LoopsInsideALoopRunOnOneThread) {
  std::atomic<int> most = 0;
  parallel_each(4, [&](std::int64_t) { most = std::max(most.load(), threads()); });
  EXPECT_EQ(most, 1);
  EXPECT_EQ(threads(), GetParam());
}

TEST_P(Parallel, EachVisitsEveryIndexOnce) {
  for (const std::int64_t count : {0, 1, 2, 97}) {
    std::vector<std::atomic<int>> visits(static_cast<std::size_t>(count));
    parallel_each(count, [&](std::int64_t i) { ++visits[static_cast<std::size_t>(i)]; });
    for (std::size_t i = 0; i < visits.size(); ++i)
      ASSERT_EQ(visits[i], 1) << "index " << i << " of " << count;
  }
}

INSTANTIATE_TEST_SUITE_P(Threads, Parallel, ::testing::Values(1, 2, 3, 8),
                         [](const auto& suite) { return "With" + std::to_string(suite.param); });

}  // namespace
}  // namespace attend
