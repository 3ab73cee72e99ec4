#include "attend/server/work/background.h"

#include <gtest/gtest.h>

#include <atomic>
#include <functional>
#include <future>

namespace attend {
namespace {

TEST(Background, RefusesMoreThanMayWait) {
  Background background;
  std::promise<void> release;
  const std::shared_future<void> released = release.get_future().share();
  int taken = 0;
  while (taken < 100 && background.run([released] { released.wait(); })) ++taken;
  EXPECT_GE(taken, 16);
  EXPECT_LE(taken, 17);
  release.set_value();
}

TEST(Background, LetsATaskGoOnThoughAllPlacesAreTaken) {
  Background background;
  std::promise<void> release, done;
  const std::shared_future<void> released = release.get_future().share();
  std::atomic<int> steps{0};
  const std::function<void()> step = [&] {
    if (++steps == 5) return done.set_value();
    background.go_on(step);
  };
  ASSERT_TRUE(background.run([&] {
    released.wait();
    step();
  }));
  while (background.run([] {})) {
  }
  release.set_value();
  EXPECT_EQ(done.get_future().wait_for(std::chrono::minutes(1)), std::future_status::ready);
  EXPECT_EQ(steps, 5);
}

}  // namespace
}  // namespace attend
