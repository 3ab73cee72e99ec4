// Gemma as transformers writes it (tools/make_import_fixtures.py): what families_test does not
// compare with transformers.
#include <gtest/gtest.h>

#include <cmath>
#include <string>

#include "attend/interchange/foreign_model.h"
#include "attend/interchange/writing/model_export.h"
#include "attend/tasks/language/model.h"
#include "interchange/damaged_directory.h"

namespace attend {
namespace {

class DamagedGemma : public DamagedDirectory {
 protected:
  DamagedGemma() { copy("gemma3"); }
  LanguageTransformerConfig shape() const {
    return language_model(imported().checkpoint).network->config();
  }
  void refuse_instead(const std::string& old, const std::string& setting,
                      std::initializer_list<std::string_view> fragments) const {
    copy("gemma3");
    replace("config.json", old, setting);
    expect_refused(fragments);
  }
};

TEST_F(DamagedGemma, HasWindowsAndPositionsOfItsKindsOfLayers) {
  const LanguageTransformerConfig found = shape();
  EXPECT_TRUE(found.norm_first && found.norm_branch && found.qk_norm && found.tied);
  EXPECT_EQ(found.attention_window, 4);
  EXPECT_EQ(found.attention_layers, "local,global");
  EXPECT_EQ(found.rotary.theta, 500.0);
  EXPECT_EQ(found.rotary.scaling, RotaryScaling::linear);
  EXPECT_EQ(found.local_rotary_theta, 50.0);
  EXPECT_EQ(found.scale_of_embeddings(), 4.0f);
  EXPECT_FLOAT_EQ(found.attention.inverse_temperature, 1.0f / std::sqrt(8.0f));
}

// As files of transformers 4 have them.
TEST_F(DamagedGemma, IsReadWithOlderNamesAndDefaults) {
  replace("config.json", "\"rope_parameters\"", "\"rope_theta\": 900.0, \"rope_unused\"");
  expect_refused({"rope_unused"});
  copy("gemma3");
  const std::string parameters =
      "\"rope_parameters\": {\n    \"full_attention\": {\n      \"factor\": 4.0,\n      "
      "\"rope_theta\": 500.0,\n      \"rope_type\": \"linear\"\n    },\n    "
      "\"sliding_attention\": {\n      \"rope_theta\": 50.0,\n      \"rope_type\": "
      "\"default\"\n    }\n  },";
  replace("config.json", parameters,
          "\"rope_theta\": 700.0, \"rope_local_base_freq\": 60.0, \"rope_scaling\": "
          "{\"rope_type\": \"linear\", \"factor\": 8.0},");
  EXPECT_EQ(shape().rotary.theta, 700.0);
  EXPECT_EQ(shape().rotary.factor, 8.0);
  EXPECT_EQ(shape().local_rotary_theta, 60.0);
  copy("gemma3");
  replace("config.json", parameters, "");
  EXPECT_EQ(shape().rotary.theta, 1e6);
  EXPECT_EQ(shape().local_rotary_theta, 1e4);
  replace("config.json",
          "\"layer_types\": [\n    \"sliding_attention\",\n    \"full_attention\"\n  ],",
          "\"sliding_window_pattern\": 1,");
  EXPECT_EQ(shape().attention_window, 0) << "every layer is global";
  EXPECT_EQ(shape().local_rotary_theta, 0.0);
}

TEST_F(DamagedGemma, IsRefusedForWhatItDoesNotCompute) {
  refuse_instead("\"attn_logit_softcapping\": null", "\"attn_logit_softcapping\": 50.0",
                 {"attn_logit_softcapping", "50"});
  refuse_instead("\"use_bidirectional_attention\": false", "\"use_bidirectional_attention\": true",
                 {"use_bidirectional_attention"});
  refuse_instead("\"rope_type\": \"default\"", "\"rope_type\": \"linear\", \"factor\": 2.0",
                 {"sliding_attention", "only the rope_type default"});
  refuse_instead("\"gemma3_text\"", "\"gemma3\"", {"model_type", "gemma3", "gemma3_text"});
}

TEST_F(DamagedGemma, OfVersion2HasCapsAndAlternatingWindows) {
  copy("gemma2");
  const LanguageTransformerConfig found = shape();
  EXPECT_TRUE(found.norm_branch && !found.qk_norm);
  EXPECT_EQ(found.attention_layers, "local,global");
  EXPECT_EQ(found.attention_cap, 1.5f);
  EXPECT_EQ(found.logit_cap, 2.0f);
  EXPECT_EQ(found.local_rotary_theta, 0.0);
  replace("config.json", "\"attn_logit_softcapping\": 1.5", "\"attn_logit_softcapping\": null");
  replace("config.json", "\"final_logit_softcapping\": 2.0,", "");
  EXPECT_EQ(shape().attention_cap, 0.0f);
  EXPECT_EQ(shape().logit_cap, 30.0f) << "of files that do not say";
}

TEST_F(DamagedGemma, OfTheFirstVersionHasNoNormsOfBranches) {
  copy("gemma");
  const LanguageTransformerConfig found = shape();
  EXPECT_FALSE(found.norm_branch);
  EXPECT_EQ(found.attention_window, 0);
  EXPECT_EQ(found.activation, Activation::gelu_tanh);
  EXPECT_EQ(found.scale_of_embeddings(), 4.0f);
}

// Gains near 0 lose digits when 1 is subtracted.
TEST_F(DamagedGemma, IsExportedWithGainsOfAnySize) {
  Checkpoint model = imported().checkpoint;
  for (NamedTensor& tensor : model.tensors) {
    if (!tensor.name.ends_with("norm1_branch.weight")) continue;
    std::vector<float> gains = tensor.tensor.to_vector();
    gains[0] = 0.123456789f;
    tensor.tensor = Tensor::from(gains, tensor.tensor.shape());
  }
  model.metadata.erase("attend.family");
  EXPECT_EQ(export_model(model).family, "gemma3_text");
}

}  // namespace
}  // namespace attend
