#include "attend/interchange/weights/expert_tensors.h"

#include <gtest/gtest.h>

#include <array>
#include <cstring>
#include <memory>
#include <numeric>

#include "attend/error.h"

namespace attend {
namespace {

// The numbers from 0 on, and how often they were read.
ForeignTensor counted_tensor(std::string name, std::vector<std::int64_t> shape,
                             const std::shared_ptr<int>& reads) {
  ForeignTensor tensor{"dir/model", std::move(name), ElementType::f32, std::move(shape), {}};
  const auto count = static_cast<std::size_t>(tensor.elements());
  tensor.read = [count, reads](std::span<std::byte> to) {
    std::vector<float> values(count);
    std::iota(values.begin(), values.end(), 0.0f);
    std::memcpy(to.data(), values.data(), to.size());
    ++*reads;
  };
  return tensor;
}

TEST(ExpertTensors, OfAStackAreReadAsOnes) {
  const auto reads = std::make_shared<int>(0);
  TensorTable file("dir/model");
  file.add(counted_tensor("layers.7.mlp.experts.gate_up_proj", {2, 4, 3}, reads));
  file.add(counted_tensor("layers.7.mlp.experts.down_proj", {2, 3, 2}, reads));
  file.add(counted_tensor("blk.7.ffn_up_exps.weight", {2, 1, 2}, reads));
  file.add(counted_tensor("layers.7.mlp.gate.weight", {2, 3}, reads));
  TensorTable table = with_separate_experts(file);
  EXPECT_EQ(table.tensors().size(), 4u + 2u + 2u + 1u);
  EXPECT_EQ(table.read("layers.7.mlp.experts.1.up_proj.weight", {2, 3}).to_vector(),
            (std::vector<float>{18, 19, 20, 21, 22, 23}));
  EXPECT_EQ(table.read("layers.7.mlp.experts.0.gate_proj.weight", {2, 3}).to_vector(),
            (std::vector<float>{0, 1, 2, 3, 4, 5}));
  EXPECT_EQ(table.read("layers.7.mlp.experts.0.up_proj.weight", {2, 3}).to_vector(),
            (std::vector<float>{6, 7, 8, 9, 10, 11}));
  EXPECT_EQ(table.read("layers.7.mlp.experts.1.gate_proj.weight", {2, 3}).to_vector(),
            (std::vector<float>{12, 13, 14, 15, 16, 17}));
  EXPECT_EQ(*reads, 1) << "a stack is in memory while some of it is unread";
  EXPECT_EQ(table.read("layers.7.mlp.experts.1.down_proj.weight", {3, 2}).to_vector(),
            (std::vector<float>{6, 7, 8, 9, 10, 11}));
  EXPECT_EQ(table.read("blk.7.ffn_up_exps.1.weight", {1, 2}).to_vector(),
            (std::vector<float>{2, 3}));
  EXPECT_TRUE(table.contains("layers.7.mlp.gate.weight"));
}

TEST(ExpertTensors, HaveTheNamesForWhichOthersStand) {
  const auto reads = std::make_shared<int>(0);
  TensorTable file("dir/model");
  file.add(counted_tensor("layers.0.mlp.experts.down_proj", {2, 3, 2}, reads));
  file.add(counted_tensor("layers.0.mlp.gate.weight", {2, 3}, reads));
  constexpr std::array kAliases{NameAlias{".mlp.", ".moe."}, NameAlias{".down_proj.", ".w2."}};
  const TensorTable table = with_separate_experts(file, kAliases);
  EXPECT_TRUE(table.contains("layers.0.moe.experts.1.w2.weight"));
  EXPECT_TRUE(table.contains("layers.0.moe.gate.weight"));
}

// Nobody has a use for them, and says so.
TEST(ExpertTensors, OfAnotherShapeStayAsTheyAre) {
  const auto reads = std::make_shared<int>(0);
  TensorTable file("dir/model");
  file.add(counted_tensor("a.experts.gate_up_proj", {2, 3, 3}, reads));
  file.add(counted_tensor("b.experts.gate_up_proj", {4, 3}, reads));
  file.add(counted_tensor("c.experts.gate_up_proj", {0, 4, 3}, reads));
  const TensorTable table = with_separate_experts(file);
  for (const char* name : {"a", "b", "c"})
    EXPECT_TRUE(table.contains(std::string(name) + ".experts.gate_up_proj"));
}

TEST(ExpertTensors, AreStackedWhereTheFirstOneWas) {
  const auto tensor = [](const char* name, float first) {
    return NamedTensor{name, Tensor::from(std::vector<float>{first, first + 1}, {1, 2})};
  };
  const std::vector<NamedTensor> stacked = with_stacked_experts(
      {tensor("a.weight", 9), tensor("b.x_exps.0.weight", 1), tensor("b.y_exps.0.weight", 3),
       tensor("b.x_exps.1.weight", 5), tensor("b.y_exps.1.weight", 7)});
  ASSERT_EQ(stacked.size(), 3u);
  EXPECT_EQ(stacked[0].name, "a.weight");
  EXPECT_EQ(stacked[1].name, "b.x_exps.weight");
  EXPECT_EQ(stacked[1].tensor.shape(), Shape({2, 1, 2}));
  EXPECT_EQ(stacked[1].tensor.to_vector(), (std::vector<float>{1, 2, 5, 6}));
  EXPECT_EQ(stacked[2].tensor.to_vector(), (std::vector<float>{3, 4, 7, 8}));
  EXPECT_THROW(with_stacked_experts({tensor("b.x_exps.1.weight", 1)}), Error);
}

}  // namespace
}  // namespace attend
