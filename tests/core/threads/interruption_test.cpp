#include "attend/core/threads/interruption.h"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <stdexcept>
#include <thread>

#include "attend/core/threads/parallel.h"

namespace attend {
namespace {

using namespace std::chrono_literals;

constexpr auto kLongEnough = 120ms;  // for the next look to ask

struct Ended : std::runtime_error {
  Ended() : std::runtime_error("ended") {}
};

void end() { throw Ended(); }

// Works until it is interrupted, for a minute at most.
void work() {
  const auto begin = std::chrono::steady_clock::now();
  while (std::chrono::steady_clock::now() - begin < 1min) look_for_interruption();
}

TEST(Interruption, EndsTheWorkOfItsThread) {
  const auto begin = std::chrono::steady_clock::now();
  const InterruptionScope scope(end);
  EXPECT_FALSE(is_interrupted());
  EXPECT_THROW(work(), Ended);
  EXPECT_LT(std::chrono::steady_clock::now() - begin, 30s);
  EXPECT_TRUE(is_interrupted());
}

TEST(Interruption, IsNoneWithoutAScopeOrOnAnotherThread) {
  look_for_interruption();
  const InterruptionScope scope(end);
  std::this_thread::sleep_for(kLongEnough);
  std::thread([] { look_for_interruption(); }).join();
  EXPECT_FALSE(is_interrupted());
}

TEST(Interruption, ComesAgainForWorkThatGoesOn) {
  const InterruptionScope scope(end);
  EXPECT_THROW(work(), Ended);
  for (int i = 0; i < 3; ++i) EXPECT_THROW(look_for_interruption(), Ended);
  ASSERT_TRUE(scope.interruption());
  EXPECT_THROW(std::rethrow_exception(scope.interruption()), Ended);
}

TEST(Interruption, SparesWhatIsDoneAsAWhole) {
  const InterruptionScope scope(end);
  {
    const Uninterrupted whole;
    std::this_thread::sleep_for(kLongEnough);
    look_for_interruption();
  }
  EXPECT_THROW(look_for_interruption(), Ended);
  const Uninterrupted whole;
  look_for_interruption();
}

TEST(Interruption, LeavesDestructorsAlone) {
  const InterruptionScope scope(end);
  struct Looking {
    ~Looking() { look_for_interruption(); }
  };
  std::this_thread::sleep_for(kLongEnough);
  try {
    const Looking looking;
    throw std::logic_error("another");
  } catch (const std::logic_error&) {
  }
  EXPECT_FALSE(is_interrupted());
}

TEST(Interruption, EndsLoopsOnAllTheirThreads) {
  const RuntimeScope runtime({.threads = 3});
  const auto begin = std::chrono::steady_clock::now();
  std::atomic<int> ended = 0, inside = 0;
  {
    const InterruptionScope scope(end);
    EXPECT_THROW(parallel_each(3,
                               [&](std::int64_t) {
                                 ++inside;
                                 while (inside < 3) std::this_thread::yield();  // one per thread
                                 try {
                                   work();
                                 } catch (const Ended&) {
                                   ++ended;
                                   throw;
                                 }
                               }),
                 Ended);
  }
  EXPECT_EQ(ended, 3);
  EXPECT_LT(std::chrono::steady_clock::now() - begin, 30s);
  parallel_each(8, [](std::int64_t) { look_for_interruption(); });  // the next work is another
}

// The thread of the scope has no item left, and waits.
TEST(Interruption, EndsLoopsThatOnlyOtherThreadsWorkOn) {
  const RuntimeScope runtime({.threads = 2});
  const InterruptionScope scope(end);
  const auto caller = std::this_thread::get_id();
  std::atomic<int> inside = 0;
  const auto begin = std::chrono::steady_clock::now();
  EXPECT_THROW(parallel_each(2,
                             [&](std::int64_t) {
                               ++inside;
                               while (inside < 2) std::this_thread::yield();
                               if (std::this_thread::get_id() != caller) work();
                             }),
               Ended);
  EXPECT_LT(std::chrono::steady_clock::now() - begin, 30s);
}

TEST(Interruption, AsksOnItsThreadOnly) {
  const RuntimeScope runtime({.threads = 3});
  const auto caller = std::this_thread::get_id();
  std::atomic<int> asked = 0;
  const InterruptionScope scope([&] {
    EXPECT_EQ(std::this_thread::get_id(), caller);
    if (++asked == 3) end();
  });
  EXPECT_THROW(parallel_each(3, [](std::int64_t) { work(); }), Ended);
  EXPECT_EQ(asked, 3);
}

TEST(Interruption, SparesLoopsOfWhatIsDoneAsAWhole) {
  const RuntimeScope runtime({.threads = 2});
  const InterruptionScope scope(end);
  EXPECT_THROW(work(), Ended);
  const Uninterrupted whole;
  std::atomic<int> done = 0;
  parallel_each(8, [&](std::int64_t) {
    look_for_interruption();
    ++done;
  });
  EXPECT_EQ(done, 8);
}

}  // namespace
}  // namespace attend
