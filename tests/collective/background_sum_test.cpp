#include "attend/collective/background_sum.h"

#include <gtest/gtest.h>

#include <chrono>
#include <utility>
#include <vector>

#include "attend/backend/backend.h"
#include "attend/core/threads/parallel.h"
#include "attend/error.h"
#include "backend/guarded_device.h"

namespace attend {
namespace {

using Buckets = std::vector<std::pair<std::int64_t, std::int64_t>>;

// Remembers what it has summed.
class RecordingSum {
 public:
  RecordingSum(std::int64_t size, std::int64_t bucket)
      : sum(size, bucket, [this](std::int64_t begin, std::int64_t end) {
          const std::lock_guard lock(mutex_);
          summed_.emplace_back(begin, end);
          changed_.notify_all();
        }) {}

  Buckets summed() {
    const std::lock_guard lock(mutex_);
    return summed_;
  }
  // Waits until so many buckets are summed.
  bool reaches(std::size_t count, std::chrono::milliseconds patience = std::chrono::seconds(20)) {
    std::unique_lock lock(mutex_);
    return changed_.wait_for(lock, patience, [&] { return summed_.size() >= count; });
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  Buckets summed_;

 public:
  BackgroundSum sum;  // its thread ends first
};

TEST(BackgroundSum, SumsBucketsFromTheEndAsTheyAreComplete) {
  RecordingSum recording(10, 4);
  EXPECT_EQ(recording.sum.buckets(), 3);
  recording.sum.start();
  recording.sum.complete(7, 10);
  recording.sum.complete(0, 2);
  EXPECT_FALSE(recording.reaches(1, std::chrono::milliseconds(50))) << "element 6 is missing";
  recording.sum.complete(5, 7);
  ASSERT_TRUE(recording.reaches(1)) << "before the others are complete";
  EXPECT_EQ(recording.summed(), (Buckets{{6, 10}}));
  recording.sum.complete(2, 5);
  ASSERT_TRUE(recording.reaches(3)) << "the last one, which is smaller, too";
  recording.sum.finish();
  EXPECT_EQ(recording.summed(), (Buckets{{6, 10}, {2, 6}, {0, 2}}));
}

// Another process may complete them in another order; sums must be in one.
TEST(BackgroundSum, WaitsWithABucketForThoseBehindIt) {
  RecordingSum recording(8, 4);
  recording.sum.start();
  recording.sum.complete(0, 4);
  recording.sum.complete(4, 6);
  EXPECT_FALSE(recording.reaches(1, std::chrono::milliseconds(50)));
  recording.sum.complete(6, 8);
  EXPECT_TRUE(recording.reaches(2));
  recording.sum.finish();
  EXPECT_EQ(recording.summed(), (Buckets{{4, 8}, {0, 4}}));
}

TEST(BackgroundSum, SumsWhatWasNeverCompleteAtTheEnd) {
  RecordingSum recording(5, 2);
  for (int step = 1; step <= 3; ++step) {
    recording.sum.start();
    recording.sum.complete(2, 5);
    recording.sum.finish();
    EXPECT_EQ(recording.summed().size(), static_cast<std::size_t>(3 * step));
  }
}

TEST(BackgroundSum, ThrowsWhatASumHasThrownAndGoesOn) {
  bool fails = true;
  int sums = 0;
  BackgroundSum sum(4, 2, [&](std::int64_t, std::int64_t) {
    ++sums;
    if (fails) throw IoError("a process has ended");
  });
  sum.start();
  EXPECT_THROW(sum.finish(), IoError);
  EXPECT_EQ(sums, 1) << "nothing is summed after a failure";
  fails = false;
  sum.start();
  sum.finish();
  EXPECT_EQ(sums, 3);
}

TEST(BackgroundSum, LeavesTheMemoryOfADeviceToItsKernels) {
  const RuntimeScope scope(RuntimeOptions{.threads = 2, .device = guarded_device()});
  const Tensor values = Tensor::full({6}, 1.5f);
  BackgroundSum sum(6, 2, [&](std::int64_t begin, std::int64_t end) {
    const Tensor part = values.slice_rows(begin, end);
    backend()->add(part, part, part);
    EXPECT_EQ(threads(), 1);
  });
  sum.start();
  sum.finish();
  EXPECT_EQ(values.to_vector(), std::vector<float>(6, 3.0f));
}

}  // namespace
}  // namespace attend
