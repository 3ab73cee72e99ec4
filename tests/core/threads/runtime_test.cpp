#include "attend/core/threads/runtime.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <mutex>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "attend/core/threads/cpu_quota.h"
#include "attend/core/threads/parallel.h"
#include "attend/error.h"

namespace attend {
namespace {

std::shared_ptr<Runtime> runtime_of(int threads) {
  return std::make_shared<Runtime>(RuntimeOptions{.threads = threads});
}

TEST(Runtime, HasTheDefaultNumberOfThreads) {
  EXPECT_GE(cpu_cores().fast, 1);
  EXPECT_EQ(default_threads().cores.fast, cpu_cores().fast);
  EXPECT_EQ(Runtime().threads(), default_threads().count());
  EXPECT_EQ(threads(), default_threads().count()) << "outside of every scope";
}

TEST(Runtime, RefusesNumbersOfThreadsThatAreNone) {
  EXPECT_THROW(Runtime({.threads = -1}), ConfigError);
  EXPECT_THROW(Runtime({.threads = kMostThreads + 1}), ConfigError);
}

// The default runtime is made at the first use, which two threads may come to at once.
TEST(Runtime, OfNoScopeIsOneForAllThreads) {
  const pid_t child = fork();
  if (child == 0) {
    Runtime *a = nullptr, *b = nullptr;
    std::thread one([&] { a = &Runtime::current(); });
    std::thread two([&] { b = &Runtime::current(); });
    one.join();
    two.join();
    _exit(a == b && a == &Runtime::current() ? 0 : 1);
  }
  int status = 0;
  waitpid(child, &status, 0);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

TEST(RuntimeScope, NestsAndRestores) {
  Runtime& outermost = Runtime::current();
  const auto two = runtime_of(2), three = runtime_of(3);
  {
    const RuntimeScope outer(two);
    EXPECT_EQ(&Runtime::current(), two.get());
    {
      const RuntimeScope inner(three);
      EXPECT_EQ(threads(), 3);
      const RuntimeScope again(two);
      EXPECT_EQ(threads(), 2);
    }
    EXPECT_EQ(threads(), 2);
    EXPECT_THROW(
        {
          const RuntimeScope inner(three);
          throw DataError("in a scope");
        },
        DataError);
    EXPECT_EQ(&Runtime::current(), two.get());
  }
  EXPECT_EQ(&Runtime::current(), &outermost);
}

TEST(RuntimeScope, IsOfItsThreadOnly) {
  const RuntimeScope scope({.threads = 5});
  int of_another = 0;
  std::thread([&] { of_another = threads(); }).join();
  EXPECT_EQ(of_another, default_threads().count());
  EXPECT_EQ(threads(), 5);
}

TEST(RuntimeScope, KeepsItsRuntime) {
  std::weak_ptr<Runtime> runtime;
  {
    const RuntimeScope scope({.threads = 3});
    runtime = Runtime::current().weak_from_this();
    std::atomic<int> sum = 0;
    parallel_each(100, [&](std::int64_t) { ++sum; });
    EXPECT_EQ(sum, 100);
    EXPECT_FALSE(runtime.expired());
  }
  EXPECT_TRUE(runtime.expired());
}

TEST(RuntimeScope, HandsItsRuntimeToAnotherThread) {
  const RuntimeScope scope({.threads = 3});
  Runtime* of_another = nullptr;
  std::thread([&, shared = Runtime::current().shared_from_this()] {
    const RuntimeScope there(shared);
    of_another = &Runtime::current();
  }).join();
  EXPECT_EQ(of_another, &Runtime::current());
}

TEST(Runtime, IsCurrentInTheBodiesOfItsLoops) {
  const auto runtime = runtime_of(3), other = runtime_of(2);
  const RuntimeScope scope(runtime);
  std::atomic<int> inside = 0, wrong = 0;
  std::mutex mutex;
  std::set<std::thread::id> seen;
  parallel_each(3, [&](std::int64_t i) {
    ++inside;
    while (inside < 3) std::this_thread::yield();  // one item for each of three threads
    wrong += &Runtime::current() != runtime.get();
    if (i == 1) {
      const RuntimeScope in_a_body(other);
      wrong += &Runtime::current() != other.get();
      wrong += threads() != 1;
    }
    wrong += &Runtime::current() != runtime.get();
    const std::lock_guard lock(mutex);
    seen.insert(std::this_thread::get_id());
  });
  EXPECT_EQ(wrong, 0);
  EXPECT_EQ(seen.size(), 3u);
  EXPECT_EQ(&Runtime::current(), runtime.get());
}

TEST(Runtime, IsLeftAsItWasByABodyThatThrows) {
  const auto runtime = runtime_of(3);
  const auto loop = [&] {
    runtime->run(64, IndexBody([](std::int64_t) -> void { throw DataError("in a body"); }));
  };
  Runtime& before = Runtime::current();
  for (int repeat = 0; repeat < 20; ++repeat) EXPECT_THROW(loop(), DataError);
  EXPECT_EQ(&Runtime::current(), &before);
  const RuntimeScope scope(runtime);
  std::atomic<int> sum = 0;
  parallel_each(100, [&](std::int64_t) { ++sum; });
  EXPECT_EQ(sum, 100);
}

// Each of two loops waits until the other runs: on one runtime that would be for ever.
TEST(Runtime, RunsItsLoopsBesideThoseOfAnother) {
  std::atomic<bool> running[2] = {false, false};
  std::atomic<int> seen[2] = {0, 0};
  const auto work = [&](int self) {
    const RuntimeScope scope({.threads = 2 + self});
    seen[self] = threads();
    parallel_each(4, [&](std::int64_t) {
      running[self] = true;
      while (!running[1 - self]) std::this_thread::yield();
    });
  };
  std::thread other([&] { work(1); });
  work(0);
  other.join();
  EXPECT_EQ(seen[0], 2);
  EXPECT_EQ(seen[1], 3);
}

TEST(Runtime, LetsLoopsOfItsThreadsFollowOneAnother) {
  const auto runtime = runtime_of(3);
  std::array<std::atomic<int>, 4> inside{};  // bodies that are running, of each caller
  std::atomic<int> wrong = 0;
  std::vector<std::thread> callers;
  for (std::size_t c = 0; c < inside.size(); ++c) {
    callers.emplace_back([&, c] {
      const RuntimeScope scope(runtime);
      for (int i = 0; i < 100; ++i) {
        parallel_each(4, [&](std::int64_t) {
          ++inside[c];
          for (std::size_t other = 0; other < inside.size(); ++other)
            wrong += other != c && inside[other] != 0;
          --inside[c];
        });
      }
    });
  }
  for (std::thread& caller : callers) caller.join();
  EXPECT_EQ(wrong, 0);
}

TEST(Runtime, GivesAnExceptionToTheThreadWhoseLoopItEnded) {
  const auto runtime = runtime_of(3);
  std::atomic<int> wrong = 0;
  std::vector<std::thread> callers;
  for (int c = 0; c < 4; ++c) {
    callers.emplace_back([&, throws = c % 2 == 0, c] {
      const RuntimeScope scope(runtime);
      for (int i = 0; i < 100; ++i) {
        try {
          parallel_each(16, [&](std::int64_t item) {
            if (throws && item >= 3) throw DataError(std::to_string(c));
          });
          wrong += throws;
        } catch (const DataError& error) {
          wrong += !throws || error.what() != std::to_string(c);
        }
      }
    });
  }
  for (std::thread& caller : callers) caller.join();
  EXPECT_EQ(wrong, 0);
}

}  // namespace
}  // namespace attend
