#include "attend/core/threads/thread_pool.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <memory>
#include <set>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "attend/error.h"

namespace attend {
namespace {

// 0 + 1 + ... + (count - 1), by a loop of the pool.
std::int64_t sum_by(ThreadPool& pool, std::int64_t count) {
  std::atomic<std::int64_t> sum = 0;
  const auto add = [&](std::int64_t i) { sum += i; };
  pool.run(count, IndexBody(add));
  return sum;
}

// Runs `body` in a forked child; whether it returned true, within ten seconds.
template <class Body>
bool in_child(const Body& body) {
  const pid_t child = fork();
  if (child == 0) {
    alarm(10);
    _exit(body() ? 0 : 1);
  }
  int status = 0;
  waitpid(child, &status, 0);
  return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

TEST(ThreadPool, UsesAllItsThreads) {
  ThreadPool pool(3);
  std::mutex mutex;
  std::set<std::thread::id> seen;
  std::atomic<int> inside = 0;
  const auto meet = [&](std::int64_t) {
    ++inside;
    while (inside < 3)
      std::this_thread::yield();  // returns only if three threads are in the loop at once
    const std::lock_guard lock(mutex);
    seen.insert(std::this_thread::get_id());
  };
  pool.run(3, IndexBody(meet));
  EXPECT_EQ(seen.size(), 3u);
}

TEST(ThreadPool, RefusesNumbersOfThreadsThatAreNone) {
  for (const int threads : {0, -2, kMostThreads + 1})
    EXPECT_THROW(ThreadPool pool(threads), ConfigError) << threads;
}

TEST(ThreadPool, RunsManyShortLoopsAndWakesAfterAPause) {
  ThreadPool pool(2);
  for (int i = 0; i < 20000; ++i) ASSERT_EQ(sum_by(pool, 2), 1);
  for (int i = 0; i < 20; ++i) {
    std::this_thread::sleep_for(
        std::chrono::milliseconds(1));  // long enough for the worker to sleep
    ASSERT_EQ(sum_by(pool, 2), 1);
  }
}

TEST(ThreadPool, ThrowsTheExceptionOfTheLowestIndex) {
  ThreadPool pool(4);
  for (int repeat = 0; repeat < 100; ++repeat) {
    try {
      const auto fail = [](std::int64_t i) {
        if (i >= 5) throw DataError(std::to_string(i));
      };
      pool.run(64, IndexBody(fail));
      FAIL() << "nothing was thrown";
    } catch (const DataError& error) {
      ASSERT_STREQ(error.what(), "5");
    }
  }
}

TEST(ThreadPool, LetsLoopsOfSeveralThreadsFollowOneAnother) {
  ThreadPool pool(3);
  std::vector<std::thread> callers;
  std::atomic<int> wrong = 0;
  for (int c = 0; c < 4; ++c) {
    callers.emplace_back([&] {
      for (int i = 0; i < 500; ++i)
        wrong += sum_by(pool, 10 + i) != std::int64_t{10 + i} * (9 + i) / 2;
    });
  }
  for (std::thread& caller : callers) caller.join();
  EXPECT_EQ(wrong, 0);
}

TEST(ThreadPool, TwoPoolsWorkSideBySide) {
  ThreadPool a(2), b(2);
  std::int64_t from_a = 0;
  std::thread other([&] { from_a = sum_by(a, 1000); });
  EXPECT_EQ(sum_by(b, 1000), 499500);
  other.join();
  EXPECT_EQ(from_a, 499500);
}

TEST(ThreadPool, WorksInAForkedChild) {
  ThreadPool pool(3);
  ASSERT_EQ(sum_by(pool, 100), 4950);
  EXPECT_TRUE(in_child([&] { return sum_by(pool, 100) == 4950; }));
  EXPECT_TRUE(in_child([&] { return in_child([&] { return sum_by(pool, 100) == 4950; }); }))
      << "a child of a child";
  EXPECT_EQ(sum_by(pool, 100), 4950) << "and still in the parent";
}

TEST(ThreadPool, WorksInAChildForkedWhileALoopRan) {
  ThreadPool pool(2);
  std::atomic<bool> stop = false;
  std::thread busy([&] {
    while (!stop) sum_by(pool, 100);
  });
  for (int i = 0; i < 10; ++i) EXPECT_TRUE(in_child([&] { return sum_by(pool, 100) == 4950; }));
  stop = true;
  busy.join();
}

TEST(ThreadPool, CanBeDestroyedInAForkedChild) {
  auto pool = std::make_unique<ThreadPool>(3);
  ASSERT_EQ(sum_by(*pool, 100), 4950);
  EXPECT_TRUE(in_child([&] {
    pool.reset();
    return true;
  }));
}

TEST(ThreadPool, LeavesSignalsToTheOtherThreads) {
  ThreadPool pool(4);
  std::atomic<int> open = 0;
  const std::thread::id caller = std::this_thread::get_id();
  const auto look = [&](std::int64_t) {
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
    sigset_t blocked;
    pthread_sigmask(SIG_SETMASK, nullptr, &blocked);
    if (std::this_thread::get_id() != caller && sigismember(&blocked, SIGINT) == 0) ++open;
  };
  pool.run(16, IndexBody(look));
  EXPECT_EQ(open, 0);
}

TEST(ThreadPool, IsIdleWithoutWork) {
  ThreadPool pool(4);
  sum_by(pool, 100);
  const auto processor_seconds = [] {
    rusage used{};
    getrusage(RUSAGE_SELF, &used);
    return static_cast<double>(used.ru_utime.tv_sec + used.ru_stime.tv_sec) +
           1e-6 * static_cast<double>(used.ru_utime.tv_usec + used.ru_stime.tv_usec);
  };
  const double before = processor_seconds();
  std::this_thread::sleep_for(std::chrono::milliseconds(200));
  EXPECT_LT(processor_seconds() - before, 0.1);
}

}  // namespace
}  // namespace attend
