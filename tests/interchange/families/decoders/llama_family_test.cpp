// Llama, Mistral, Qwen2 and Qwen3 as transformers writes them (tools/make_import_fixtures.py): what
// families_test does not compare with transformers.
#include <gtest/gtest.h>

#include <string>

#include "attend/error.h"
#include "attend/interchange/foreign_model.h"
#include "attend/tasks/language/model.h"
#include "interchange/damaged_directory.h"

namespace attend {
namespace {

class DamagedLlama : public DamagedDirectory {
 protected:
  LanguageTransformerConfig shape() const {
    return language_model(imported().checkpoint).network->config();
  }
  // Adds a setting to those of the positions.
  void refuse_rotary(const std::string& setting,
                     std::initializer_list<std::string_view> fragments) const {
    copy("qwen3");
    replace("config.json", "\"beta_slow\"", setting + ", \"beta_slow\"");
    expect_refused(fragments);
  }
};

TEST_F(DamagedLlama, OfQwen3NormalizesItsHeadsAndStretchesItsPositions) {
  copy("qwen3");
  const LanguageTransformerConfig found = shape();
  EXPECT_TRUE(found.qk_norm);
  EXPECT_EQ(found.d_key, 8);
  EXPECT_EQ(found.attention_biases, AttentionBiases::none);
  EXPECT_EQ(found.rotary.scaling, RotaryScaling::yarn);
  EXPECT_EQ(found.rotary.factor, 4.0);
  EXPECT_EQ(found.rotary.low_factor, 0.25);
  EXPECT_EQ(found.rotary.high_factor, 32.0) << "where the file is silent";
  EXPECT_EQ(found.rotary.original_length, 24);
}

// As files of transformers 4 have them.
TEST_F(DamagedLlama, IsReadWithOlderNamesOfItsPositions) {
  copy("llama");
  const RotaryOptions newer = shape().rotary;
  replace("config.json", "\"rope_parameters\"", "\"rope_scaling\"");
  replace("config.json", "\"rope_type\"", "\"type\"");
  replace("config.json", "\"rope_theta\": 500.0,", "");
  replace("config.json", "\"rope_scaling\"", "\"rope_theta\": 500.0, \"rope_scaling\"");
  const RotaryOptions older = shape().rotary;
  EXPECT_EQ(older.scaling, RotaryScaling::llama3);
  EXPECT_EQ(older.theta, newer.theta);
  EXPECT_EQ(older.high_factor, newer.high_factor);
}

TEST_F(DamagedLlama, IsRefusedForPositionsThatCannotBeComputed) {
  refuse_rotary("\"attention_factor\": 2.0", {"attention_factor", "2.0", "1.13863"});
  refuse_rotary("\"truncate\": false", {"truncate", "false"});
  refuse_rotary("\"mscale\": 0.7", {"mscale", "0.7"});
  refuse_rotary("\"partial_rotary_factor\": 0.5", {"partial_rotary_factor"});
  copy("qwen3");
  replace("config.json", "\"yarn\"", "\"dynamic\"");
  expect_refused({"rope_type", "dynamic", "linear", "llama3", "yarn"});
  copy("qwen3");
  replace("config.json", "\"original_max_position_embeddings\"", "\"original_length\"");
  expect_refused({"original_max_position_embeddings"});
}

TEST_F(DamagedLlama, OfQwen3HasHeadsOf128UnlessItSaysOtherwise) {
  copy("qwen3");
  replace("config.json", "\"head_dim\": 8,", "");
  expect_refused({"self_attn.q_proj.weight", "[512, 16]", "[32, 16]"});
}

TEST_F(DamagedLlama, OfMistralHasTheWindowOfItsFile) {
  copy("mistral_window");
  EXPECT_EQ(shape().attention_window, 5);
  EXPECT_EQ(shape().attention_layers, "");
  replace("config.json", "\"sliding_window\": 5,", "");
  EXPECT_EQ(shape().attention_window, 4096) << "of files that do not say";
  copy("mistral");
  EXPECT_EQ(shape().attention_window, 0);
}

TEST_F(DamagedLlama, OfSmolLM3HasLayersWithoutRotaryPositions) {
  copy("smollm3");
  EXPECT_EQ(shape().attention_layers, "global,unrotated");
  EXPECT_EQ(shape().rotary.theta, 2e6);
  replace("config.json", "\"no_rope_layers\": [\n    1,\n    0\n  ],", "");
  EXPECT_EQ(shape().attention_layers, "global,unrotated") << "every second one";
  replace("config.json", "\"no_rope_layer_interval\": 2,", "");
  EXPECT_EQ(shape().attention_layers, "") << "every fourth one";
  copy("smollm3");
  replace("config.json", "\"use_sliding_window\": false", "\"use_sliding_window\": true");
  expect_refused({"use_sliding_window"});
}

TEST_F(DamagedLlama, OfQwenHasTheWindowsOfItsLayers) {
  copy("qwen2_window");
  EXPECT_EQ(shape().attention_window, 4);
  EXPECT_EQ(shape().attention_layers, "global,local");
  replace("config.json", "\"layer_types\"", "\"use_mrope\": false, \"_layers\"");
  expect_refused({"_layers"});
  copy("qwen2_window");
  replace("config.json", "full_attention", "chunked_attention");
  expect_refused({"layer_types", "chunked_attention", "only full_attention and sliding_attention"});
  copy("qwen2_window");
  replace("config.json", "\"sliding_attention\"", "\"sliding_attention\", \"full_attention\"");
  expect_refused({"layer_types", "each of 2 layers"});
  copy("qwen2_window");
  replace("config.json", "\"use_sliding_window\": true", "\"use_sliding_window\": false");
  expect_refused({"layer_types", "use_sliding_window"});
}

TEST_F(DamagedLlama, OfQwen3IsRefusedWithoutTheNormalizationOfALayer) {
  copy("qwen3");
  leave_out("model.layers.1.self_attn.k_norm.weight");
  expect_refused({"model.layers.1.self_attn.k_norm.weight"});
}

// A model that does not say where it came from.
TEST_F(DamagedLlama, IsExportedAsTheFamilyThatComputesTheSame) {
  for (const char* name : {"llama", "qwen2", "qwen3"})
    EXPECT_EQ(family_by_what_it_computes(name), name);
}

}  // namespace
}  // namespace attend
