#include <gtest/gtest.h>

#include <atomic>
#include <thread>

#include "attend/backend/backend.h"
#include "attend/core/threads/parallel.h"
#include "backend/scoped_backend.h"

namespace attend {
namespace {

TEST(CurrentBackend, IsThatOfTheRuntimeOfItsThread) {
  Backend& before = backend();
  {
    const ScopedBackend outer(reference_backend());
    EXPECT_EQ(&backend(), &reference_backend());
    {
      const ScopedBackend inner(fast_backend());
      EXPECT_EQ(&backend(), &fast_backend());
      const RuntimeScope names_none({.threads = 1});
      EXPECT_EQ(&backend(), &before) << "the default";
    }
    EXPECT_EQ(&backend(), &reference_backend());
    Backend* of_another = nullptr;
    std::thread([&] { of_another = &backend(); }).join();
    EXPECT_EQ(of_another, &before);
  }
  EXPECT_EQ(&backend(), &before);
}

TEST(CurrentBackend, IsThatOfTheCallerInABody) {
  const RuntimeScope runtime({.threads = 3, .device = {.backend = &reference_backend()}});
  std::atomic<int> inside = 0, wrong = 0;
  parallel_each(3, [&](std::int64_t) {
    ++inside;
    while (inside < 3) std::this_thread::yield();  // one item for each of three threads
    wrong += &backend() != &reference_backend();
  });
  EXPECT_EQ(wrong, 0);
}

}  // namespace
}  // namespace attend
