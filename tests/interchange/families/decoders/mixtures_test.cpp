// Mixtral, Qwen2-MoE and Qwen3-MoE as transformers writes them (tools/make_import_fixtures.py):
// what families_test does not compare with transformers.
#include <gtest/gtest.h>

#include <string>

#include "attend/error.h"
#include "attend/interchange/foreign_model.h"
#include "attend/tasks/language/model.h"
#include "interchange/damaged_directory.h"

namespace attend {
namespace {

class DamagedMixture : public DamagedDirectory {
 protected:
  LanguageTransformerConfig shape() const {
    return language_model(imported().checkpoint).network->config();
  }
  void set(const std::string& key, const std::string& value) const {
    replace("config.json", "{\n", "{\n  \"" + key + "\": " + value + ",\n");
  }
};

TEST_F(DamagedMixture, OfMixtralDividesByTheSumOfItsLikeliest) {
  copy("mixtral");
  const LanguageTransformerConfig found = shape();
  EXPECT_EQ(found.experts, 4);
  EXPECT_EQ(found.experts_per_token, 2);
  EXPECT_EQ(found.d_ff, 24);
  EXPECT_EQ(found.expert_width, 0);
  EXPECT_TRUE(found.router_norm);
  EXPECT_EQ(found.router_balance, 0.0f);
  EXPECT_EQ(found.attention_window, 0);
  replace("config.json", "\"sliding_window\": null", "\"sliding_window\": 7");
  replace("config.json", "\"router_aux_loss_coef\": 0.0,", "");
  EXPECT_EQ(shape().attention_window, 7);
  EXPECT_EQ(shape().router_balance, 0.001f) << "of files that do not say";
}

TEST_F(DamagedMixture, OfQwen2HasASharedExpertAndDenseLayers) {
  copy("qwen2_moe");
  const LanguageTransformerConfig found = shape();
  EXPECT_EQ(found.experts, 5);
  EXPECT_EQ(found.experts_per_token, 3);
  EXPECT_EQ(found.expert_layers, "dense,experts");
  EXPECT_EQ(found.expert_width, 12);
  EXPECT_EQ(found.shared_expert_width, 20);
  EXPECT_FALSE(found.router_norm);
  EXPECT_EQ(found.router_balance, 0.5f);
  EXPECT_EQ(found.attention_biases, AttentionBiases::qkv);
}

TEST_F(DamagedMixture, OfQwen2HasItsWindowInEverySecondLayer) {
  copy("qwen2_moe");
  replace("config.json", "\"use_sliding_window\": false", "\"use_sliding_window\": true");
  replace("config.json", "\"sliding_window\": 0", "\"sliding_window\": 3");
  EXPECT_EQ(shape().attention_window, 0) << "as layer_types has it";
  replace("config.json", "\"layer_types\"", "\"id2label\"");
  EXPECT_EQ(shape().attention_window, 3);
  EXPECT_EQ(shape().attention_layers, "local,global");
  replace("config.json", "\"max_window_layers\": 28", "\"max_window_layers\": 0");
  EXPECT_EQ(shape().attention_window, 0);
}

TEST_F(DamagedMixture, OfQwen3HasItsWindowInAllLayers) {
  copy("qwen3_moe");
  EXPECT_TRUE(shape().qk_norm);
  EXPECT_TRUE(shape().router_norm);
  EXPECT_EQ(shape().attention_window, 0);
  replace("config.json", "\"use_sliding_window\": false", "\"use_sliding_window\": true");
  replace("config.json", "\"sliding_window\": null", "\"sliding_window\": 3");
  EXPECT_EQ(shape().attention_window, 3);
  EXPECT_EQ(shape().attention_layers, "");
}

TEST_F(DamagedMixture, IsRefusedForWhatNobodyReads) {
  copy("mixtral");
  replace("config.json", "\"router_jitter_noise\": 0.0", "\"router_jitter_noise\": 0.1");
  expect_refused({"router_jitter_noise", "0.1"});
  copy("qwen3_moe");
  set("num_experts", "5");
  expect_refused({"num_local_experts", "num_experts is 5"});
  copy("qwen3_moe");
  set("n_shared_experts", "1");
  expect_refused({"n_shared_experts"});
  copy("qwen2_moe");
  leave_out("model.layers.1.mlp.shared_expert_gate.weight");
  expect_refused({"model.layers.1.mlp.shared_expert_gate.weight"});
  copy("qwen2_moe");
  leave_out("model.layers.1.mlp.experts.4.up_proj.weight");
  expect_refused({"model.layers.1.mlp.experts.4.up_proj.weight"});
  copy("mixtral");
  replace("config.json", "\"num_local_experts\": 4", "\"num_local_experts\": 3");
  expect_refused({"block_sparse_moe.gate.weight", "[3, 16]", "[4, 16]"});
  copy("mixtral");
  replace("config.json", "\"num_experts_per_tok\": 2", "\"num_experts_per_tok\": 5");
  EXPECT_THROW(imported(), ConfigError);
  copy("mixtral");
  replace("config.json", "\"num_key_value_heads\": 2,", "");
  expect_refused({"num_key_value_heads"});
}

// A model that does not say where it came from, and whose widths are said in another way.
TEST_F(DamagedMixture, IsExportedAsTheFamilyThatComputesTheSame) {
  for (const char* name : {"mixtral", "qwen2_moe", "qwen3_moe"})
    EXPECT_EQ(family_by_what_it_computes(name), name);
}

}  // namespace
}  // namespace attend
