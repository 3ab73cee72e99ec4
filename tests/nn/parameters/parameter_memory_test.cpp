#include "attend/nn/parameters/parameter_memory.h"

#include <gtest/gtest.h>

#include <vector>

namespace attend {
namespace {

using Use = ParameterEntry::Use;

TEST(ParameterMemory, HasBuffersOnlyForTheTypesInUse) {
  const ParameterMemory memory({{DType::f32, 6}});
  EXPECT_EQ(memory.of(DType::f32).shape(), Shape{6});
  EXPECT_EQ(memory.of(DType::packed_f32).data(), memory.of(DType::f32).data());
  EXPECT_FALSE(memory.of(DType::i8).defined());
  EXPECT_FALSE(ParameterMemory().of(DType::f32).defined());
}

TEST(ParameterMemory, ViewsNeighborsAsOneMatrix) {
  ParameterLayout layout;
  layout.add("norm", {2}, {}, Use::other);
  layout.add("q", {2, 3}, {}, Use::product);
  layout.add("k", {1, 3}, {}, Use::product);
  const ParameterMemory memory(layout.lay_out({}));
  const Tensor both = memory.view(layout.parts(layout.stack("q", "k")));
  EXPECT_EQ(both.shape(), (Shape{3, 3}));
  EXPECT_EQ(both.data(), memory.of(DType::f32).data() + 2);
  EXPECT_EQ(memory.view(layout.parts({0, 0})).shape(), Shape{2});
}

TEST(ParameterMemory, ViewsMatricesInEightBitsWithTheirScales) {
  ParameterLayout layout;
  layout.add("a", {1, 32}, {}, Use::product);
  layout.add("b", {2, 32}, {}, Use::product);
  const ParameterMemory memory(layout.lay_out({{"a", DType::i8}, {"b", DType::i8}}));
  const Tensor second = memory.view(layout.parts({1, 1}));
  EXPECT_EQ(second.shape(), (Shape{2, 32 + 4}));
  EXPECT_EQ(second.bytes(), memory.of(DType::i8).bytes() + 36);
}

TEST(ParameterMemory, ReadsBytesAsAnyType) {
  const Tensor bytes = Tensor::zeros({64}, DType::u8);
  const ParameterMemory memory = ParameterMemory::over(bytes);
  EXPECT_EQ(memory.of(DType::f32).size(), 16);
  EXPECT_EQ(memory.of(DType::bf16).size(), 32);
  EXPECT_EQ(memory.of(DType::f32).bytes(), bytes.bytes());
}

}  // namespace
}  // namespace attend
