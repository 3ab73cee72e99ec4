#include <gtest/gtest.h>

#include <atomic>
#include <stdexcept>
#include <thread>
#include <vector>

#include "attend/backend/backend.h"
#include "attend/backend/fast/fast_backend.h"
#include "attend/core/threads/parallel.h"
#include "backend/guarded_device.h"
#include "backend/scoped_backend.h"

namespace attend {
namespace {

TEST(CurrentBackend, IsThatOfTheRuntimeOfItsThread) {
  Backend& before = *backend();
  {
    const ScopedBackend outer(reference_backend());
    EXPECT_EQ(&*backend(), &reference_backend());
    {
      const ScopedBackend inner(fast_backend());
      EXPECT_EQ(&*backend(), &fast_backend());
      const RuntimeScope names_none({.threads = 1});
      EXPECT_EQ(&*backend(), &before) << "the default";
    }
    EXPECT_EQ(&*backend(), &reference_backend());
    Backend* of_another = nullptr;
    std::thread([&] { of_another = &*backend(); }).join();
    EXPECT_EQ(of_another, &before);
  }
  EXPECT_EQ(&*backend(), &before);
}

TEST(CurrentBackend, IsThatOfTheCallerInABody) {
  const RuntimeScope runtime({.threads = 3, .device = {.backend = &reference_backend()}});
  std::atomic<int> inside = 0, wrong = 0;
  parallel_each(3, [&](std::int64_t) {
    ++inside;
    while (inside < 3) std::this_thread::yield();  // one item for each of three threads
    wrong += &*backend() != &reference_backend();
  });
  EXPECT_EQ(wrong, 0);
}

float first_of(const Tensor& x) { return *static_cast<volatile float*>(x.data()); }

TEST(CurrentBackend, MayUseTheMemoryOfItsDeviceUntilTheEndOfTheCall) {
  const RuntimeScope scope({.threads = 1, .device = guarded_device()});
  const Tensor x = Tensor::full({3}, 2.0f);
  EXPECT_DEATH(first_of(x), "");
  backend()->add(x, x, x);
  EXPECT_DEATH(first_of(x), "");
  const DeviceScalar sum = backend()->sum(x);
  EXPECT_DEATH(static_cast<void>(*static_cast<volatile double*>(sum.element().data<double>())), "");
  EXPECT_EQ(sum, 12.0);
  backend()->store(backend()->sum(x), 1.0, Tensor::zeros({1}));
  EXPECT_DEATH(first_of(x), "") << "after a call in the arguments of another";
  EXPECT_EQ(x.to_vector(), std::vector<float>(3, 4.0f));
}

class FailingBackend final : public FastBackend {
 public:
  void add(const Tensor&, const Tensor&, const Tensor&) override {
    throw std::runtime_error("fails");
  }
};

TEST(CurrentBackend, LeavesTheMemoryWhenAKernelFails) {
  FailingBackend failing;
  const RuntimeScope scope(
      {.threads = 1, .device = {.memory = guarded_device().memory, .backend = &failing}});
  const Tensor x = Tensor::zeros({3});
  EXPECT_THROW(backend()->add(x, x, x), std::runtime_error);
  EXPECT_DEATH(first_of(x), "");
}

}  // namespace
}  // namespace attend
