#include "attend/interchange/families/gguf/gguf_rotations.h"

#include <gtest/gtest.h>

#include <cstring>

#include "attend/error.h"
#include "tensor/expect_error.h"

namespace attend {
namespace {

using Json = nlohmann::json;

TensorTable table_of_factors(const std::vector<float>& factors) {
  TensorTable table("file");
  table.add({.file = "file",
             .name = kRopeFactors,
             .shape = {std::ssize(factors)},
             .read = [factors](std::span<std::byte> to) {
               std::memcpy(to.data(), factors.data(), to.size());
             }});
  return table;
}

Json read_rotation(const Json& metadata, TensorTable tensors = TensorTable("file"),
                   int width = 64) {
  ForeignConfig config(metadata, "file");
  Json read = Json::object();
  read_gguf_rotation(config, tensors, {.prefix = "x.", .width = width, .context = 512}, read);
  config.require_all_known();
  return read;
}

RotaryOptions llama3(double factor) {
  RotaryOptions rotary;
  rotary.theta = 500000;
  rotary.factor = factor;
  rotary.low_factor = 1;
  rotary.high_factor = 4;
  rotary.original_length = 8192;
  return rotary;
}

TEST(GgufRotation, IsPlainByDefault) {
  EXPECT_EQ(read_rotation(Json::object()), (Json{{"rope_theta", 10000.0}}));
  EXPECT_EQ(read_rotation({{"x.rope.freq_base", 1e6},
                           {"x.rope.scaling.type", "none"},
                           {"x.rope.scaling.factor", 3.0}}),
            (Json{{"rope_theta", 1e6}}));
}

TEST(GgufRotation, IsStretched) {
  const Json linear{{"rope_type", "linear"}, {"factor", 4.0}};
  EXPECT_EQ(read_rotation({{"x.rope.scale_linear", 4.0}})["rope_scaling"], linear);
  EXPECT_EQ(read_rotation({{"x.rope.scaling.type", "linear"},
                           {"x.rope.scaling.factor", 4.0}})["rope_scaling"],
            linear);
  const Json yarn = read_rotation(
      {{"x.rope.scaling.type", "yarn"}, {"x.rope.scaling.factor", 4.0}})["rope_scaling"];
  EXPECT_EQ(yarn["original_max_position_embeddings"], 512);
  EXPECT_EQ(yarn["beta_fast"], 32);
  EXPECT_THROW(read_rotation({{"x.rope.scaling.type", "yarn"},
                              {"x.rope.scaling.factor", 4.0},
                              {"x.rope.scaling.yarn_beta_slow", 0.25}}),
               DataError);
  EXPECT_THROW(read_rotation({{"x.rope.scaling.type", "longrope"}}), DataError);
  EXPECT_THROW(read_rotation({{"x.rope.scaling.attn_factor", 2.0}}), DataError);
}

TEST(GgufRotation, FindsLlama3sRuleInItsFactors) {
  const Json config = read_rotation({{"x.rope.freq_base", 500000.0}},
                                    table_of_factors(llama3_factors(llama3(32), 64)));
  EXPECT_EQ(config["rope_scaling"], (Json{{"rope_type", "llama3"},
                                          {"factor", 32.0},
                                          {"low_freq_factor", 1.0},
                                          {"high_freq_factor", 4.0},
                                          {"original_max_position_embeddings", 8192}}));
  EXPECT_FALSE(read_rotation(Json::object(), table_of_factors(std::vector<float>(32, 1.0f)))
                   .contains("rope_scaling"));
  std::vector<float> other = llama3_factors(llama3(32), 64);
  other[20] *= 1.01f;
  expect_error<DataError>(
      [&] {
        read_rotation({{"x.rope.freq_base", 500000.0}}, table_of_factors(other));
      },
      {"rope_freqs.weight", "Llama 3's rule"});
}

TEST(GgufRotation, HasLlama3sFactors) {
  const std::vector<float> factors = llama3_factors(llama3(8), 128);
  EXPECT_EQ(factors.front(), 1.0f);
  EXPECT_EQ(factors.back(), 8.0f);
  EXPECT_TRUE(std::is_sorted(factors.begin(), factors.end()));
}

}  // namespace
}  // namespace attend
