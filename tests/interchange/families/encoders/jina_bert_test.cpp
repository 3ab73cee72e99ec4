#include "attend/interchange/families/encoders/jina_bert.h"

#include <gtest/gtest.h>

#include "attend/tasks/embedding/model.h"
#include "interchange/damaged_directory.h"

namespace attend {
namespace {

class ChangedJina : public DamagedDirectory {};

TEST_F(ChangedJina, HasSlopesAndTheActivationOfItsGate) {
  copy("jina_bert");
  const EmbedderConfig config = embedding_model(imported().checkpoint).network->config();
  EXPECT_EQ(config.positions, PositionKind::alibi);
  EXPECT_EQ(config.activation, Activation::gelu);
  EXPECT_TRUE(config.gated_ffn);
  EXPECT_FALSE(config.ffn_hidden_bias);
  replace("config.json", "geglu", "reglu");
  EXPECT_EQ(embedding_model(imported().checkpoint).network->config().activation, Activation::relu);
}

TEST_F(ChangedJina, IsRefusedForOtherPositionsAndNetworks) {
  copy("jina_bert");
  replace("config.json", "\"alibi\"", "\"absolute\"");
  expect_refused({"position_embedding_type", "absolute", "alibi"});
  copy("jina_bert");
  replace("config.json", "geglu", "original");
  expect_refused({"feed_forward_type", "original", "geglu"});
  copy("jina_bert");
  add_weight("encoder.layer.0.attention.self.layer_norm_q.weight",
             "encoder.layer.0.attention.self.query.bias");
  expect_refused({"layer_norm_q"});
}

}  // namespace
}  // namespace attend
