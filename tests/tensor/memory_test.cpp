#include "attend/tensor/memory.h"

#include <gtest/gtest.h>

#include <numeric>
#include <vector>

#include "attend/core/threads/runtime.h"
#include "attend/tensor/ids.h"
#include "attend/tensor/tensor.h"
#include "tensor/guarded_memory.h"

namespace attend {
namespace {

GuardedMemory& guarded() {
  static auto& memory = *new GuardedMemory;
  return memory;
}

RuntimeOptions on_guarded() { return {.threads = 1, .device = {.memory = &guarded()}}; }

TEST(Memory, OfATensorIsThatOfTheCurrentRuntime) {
  EXPECT_EQ(Tensor::empty({2}).memory(), &host_memory());
  const RuntimeScope scope(on_guarded());
  const Tensor t = Tensor::empty({2, 3});
  EXPECT_EQ(t.memory(), &guarded());
  EXPECT_EQ(t.slice_rows(1, 2).memory(), &guarded());
  EXPECT_EQ(t.reshape({6}).memory(), &guarded());
  EXPECT_EQ(t.clone().memory(), &guarded());
  EXPECT_EQ(t.to_host().memory(), &host_memory());
  EXPECT_EQ(Tensor().memory(), nullptr);
}

TEST(Memory, OfADeviceIsReachedByCopiesAlone) {
  const RuntimeScope scope(on_guarded());
  const std::vector<float> values{1, 2, 3, 4, 5, 6};
  const Tensor t = Tensor::from(values, {2, 3});
  EXPECT_EQ(t.to_vector(), values);
  EXPECT_EQ(t.slice_columns(1, 3).to_vector(), (std::vector<float>{2, 3, 5, 6}));
  EXPECT_EQ(t.slice_rows(1, 2).slice_columns(2, 3).item(), 6.0);
  EXPECT_EQ(Tensor::full({3}, 2.5f).to_vector(), (std::vector<float>{2.5f, 2.5f, 2.5f}));
  t.slice_columns(0, 1).zero();
  EXPECT_EQ(t.clone().to_vector(), (std::vector<float>{0, 2, 3, 0, 5, 6}));
  EXPECT_DEATH({ static_cast<void>(*static_cast<volatile float*>(t.data())); }, "");
}

TEST(Memory, IsCopiedToBothSidesAndBetweenDevices) {
  static auto& other = *new GuardedMemory;
  std::vector<float> values{1, 2, 3, 4};
  const Tensor host = Tensor::from(values, {2, 2});
  const RuntimeScope scope(on_guarded());
  const Tensor device = Tensor::empty({2, 2});
  device.copy_from(host);
  const RuntimeScope inner({.threads = 1, .device = {.memory = &other}});
  const Tensor second = device.clone();
  EXPECT_EQ(second.memory(), &other);
  const Tensor back = Tensor::wrap(nullptr, values.data(), {2, 2}, DType::f32);
  values = {0, 0, 0, 0};
  back.slice_columns(1, 2).copy_from(second.slice_columns(1, 2));
  EXPECT_EQ(values, (std::vector<float>{0, 2, 0, 4}));
}

TEST(Memory, FillsWhatIsNoWholeNumberOfPatterns) {
  std::vector<std::byte> bytes(8, std::byte{9});
  host_memory().fill({bytes.data(), 7}, 1, 7, 0x04030201);
  EXPECT_EQ(bytes, (std::vector{std::byte{1}, std::byte{2}, std::byte{3}, std::byte{4},
                                std::byte{1}, std::byte{2}, std::byte{3}, std::byte{9}}));
}

TEST(Ids, AreTheSameOnTheHostAndOnTheDevice) {
  const Ids ids{4, 5, 6, 7};
  const auto on_host = ids.tensor().span<std::int32_t>();
  EXPECT_EQ(on_host.data(), ids->data()) << "no copy where the host is the device";
  const RuntimeScope scope(on_guarded());
  const Tensor device = ids.tensor();
  EXPECT_EQ(device.memory(), &guarded());
  EXPECT_EQ(device.shape(), (Shape{4}));
  const Tensor back = device.to_host();
  EXPECT_EQ(std::vector(back.data<std::int32_t>(), back.data<std::int32_t>() + 4),
            (std::vector<std::int32_t>{4, 5, 6, 7}));
  EXPECT_EQ(ids.tensor().bytes(), device.bytes()) << "copied once";
  EXPECT_EQ(ids.slice(1, 3).tensor().bytes(), device.bytes() + sizeof(std::int32_t))
      << "also for a slice";
}

TEST(Ids, OfASliceAreSomeOfThem) {
  const Ids ids{4, 5, 6, 7};
  const Ids part = ids.slice(1, 3);
  EXPECT_EQ(part, (Ids{5, 6}));
  EXPECT_EQ(part.size(), 2);
  EXPECT_EQ(part[1], 6);
  EXPECT_EQ(part.slice(1, 2), Ids{6});
  EXPECT_EQ(ids.slice(4, 4).size(), 0);
}

TEST(Ids, ThatAreNoneDifferFromAnEmptyList) {
  const Ids none, empty = std::vector<std::int32_t>();
  EXPECT_FALSE(none);
  EXPECT_TRUE(empty);
  EXPECT_NE(none, empty);
  EXPECT_FALSE(none.tensor().defined());
  EXPECT_EQ(empty.tensor().shape(), Shape{0});
  EXPECT_EQ(none->size(), 0u);
}

}  // namespace
}  // namespace attend
