// ModernBERT as transformers writes it: what families_test does not compare with transformers.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>

#include "attend/core/json/json.h"
#include "attend/tasks/classification/model.h"
#include "attend/tasks/embedding/model.h"
#include "attend/tasks/tagging/model.h"
#include "interchange/damaged_directory.h"

namespace attend {
namespace {

class ChangedModernBert : public DamagedDirectory {};

TEST_F(ChangedModernBert, HasWindowsAndNoNormalizationBeforeItsFirstSublayer) {
  copy("modernbert_sentences");
  const EmbedderConfig config = embedding_model(imported().checkpoint).network->config();
  EXPECT_EQ(config.attention_window, 4) << "3 tokens on both sides";
  EXPECT_EQ(config.attention_layers, "local,global");
  EXPECT_EQ(config.rotary.theta, 160000.0);
  EXPECT_EQ(config.local_rotary_theta, 10000.0);
  EXPECT_FALSE(config.norm_input);
  EXPECT_FALSE(config.norm.bias);
  EXPECT_TRUE(config.norm_embedding);
}

TEST_F(ChangedModernBert, HasAHeadThatIsNormalized) {
  copy("modernbert_classifier");
  const ClassifierConfig classifier = classification_model(imported().checkpoint).network->config();
  EXPECT_EQ(classifier.pooling, Pooling::mean);
  EXPECT_TRUE(classifier.bos);
  EXPECT_EQ(classifier.head.activation, Activation::gelu);
  EXPECT_TRUE(classifier.head.norm);
  EXPECT_FALSE(classifier.head.bias);
  copy("modernbert_tagger");
  EXPECT_TRUE(tagging_model(imported().checkpoint).network->config().head.bias);
}

// The names of the first files, which the hub has.
TEST_F(ChangedModernBert, IsReadWithTheSettingsOfOlderFiles) {
  copy("modernbert_sentences");
  nlohmann::json config =
      parse_json(fixture_bytes("models/modernbert_sentences/config.json"), "config.json");
  config["layer_types"] = {"full_attention", "sliding_attention", "sliding_attention"};
  write("config.json", config.dump());
  const std::string wanted = imported().checkpoint.metadata.at("attend.config");
  config.erase("layer_types");
  config.erase("rope_parameters");
  config.update({{"global_attn_every_n_layers", 3},
                 {"global_rope_theta", 160000.0},
                 {"local_rope_theta", 10000.0},
                 {"reference_compile", true},
                 {"position_embedding_type", "absolute"}});
  write("config.json", config.dump());
  EXPECT_EQ(imported().checkpoint.metadata.at("attend.config"), wanted);
  config["global_rope_theta"] = 50.0;
  write("config.json", config.dump());
  EXPECT_NE(imported().checkpoint.metadata.at("attend.config"), wanted);
}

}  // namespace
}  // namespace attend
