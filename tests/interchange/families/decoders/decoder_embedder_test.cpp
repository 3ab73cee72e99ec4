// Directories of sentence-transformers whose network is a decoder (tools/make_import_fixtures.py):
// what families_test does not compare with sentence-transformers.
#include "attend/interchange/families/decoders/decoder_embedder.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "attend/core/json/json.h"
#include "attend/error.h"
#include "attend/interchange/foreign_model.h"
#include "attend/interchange/writing/model_export.h"
#include "attend/tasks/embedding/model.h"
#include "interchange/damaged_directory.h"

namespace attend {
namespace {

class DecoderEmbedder : public DamagedDirectory {
 protected:
  EmbeddingModel model() const { return embedding_model(imported().checkpoint); }
};

// Its language model ends with <|end|>.
TEST_F(DecoderEmbedder, PoolsTheTokenThatItsTokenizerPutsBehindATextAndNoneBefore) {
  copy("qwen3_sentences");
  const EmbeddingModel found = model();
  const EmbedderConfig& config = found.network->config();
  EXPECT_TRUE(config.causal);
  EXPECT_EQ(config.poolings(), std::vector{Pooling::last});
  EXPECT_TRUE(config.normalize);
  EXPECT_EQ(found.tokenizer.special_tokens().bos, -1);
  EXPECT_EQ(found.tokenizer.piece(found.ids("a man").back()), "<|begin|>");
  EXPECT_EQ(found.ids(std::string(200, 'x')).size(), 24u) << "max_seq_length";
  EXPECT_EQ(found.prompts.texts.at("query"), "Instruct: find\nQuery:");
}

TEST_F(DecoderEmbedder, HasTheTokenBeforeATextThatItsTokenizerPutsThere) {
  copy("mistral_sentences");
  const EmbeddingModel found = model();
  EXPECT_EQ(found.network->config().attention_window, 5);
  const std::vector<std::int32_t> ids = found.ids("a man");
  EXPECT_EQ(found.tokenizer.piece(ids.front()), "<|begin|>");
  EXPECT_EQ(found.tokenizer.piece(ids.back()), "<|end|>");
}

TEST_F(DecoderEmbedder, IsRefusedIfItsTokenizerPutsNothingBehindAText) {
  copy("qwen3_sentences");
  nlohmann::json tokenizer =
      parse_json(fixture_bytes("models/qwen3_sentences/tokenizer.json"), "tokenizer.json");
  tokenizer["post_processor"] = nullptr;
  write("tokenizer.json", tokenizer.dump());
  expect_refused({"expected a tokenizer that puts no token before a text and one after"});
}

TEST_F(DecoderEmbedder, WithoutModulesIsALanguageModel) {
  copy("qwen3_sentences");
  std::filesystem::remove(folder_ / "modules.json");
  EXPECT_EQ(imported().checkpoint.text("attend.task"), "language modeling");
}

TEST_F(DecoderEmbedder, OfGemmaSeesWholeTextsAndHasTwoLinearLayers) {
  copy("embedding_gemma_sentences");
  const EmbedderConfig& config = model().network->config();
  EXPECT_FALSE(config.causal);
  EXPECT_EQ(config.attention_window, 3) << "4 are those of both sides";
  EXPECT_EQ(config.dense_width, 24);
  EXPECT_EQ(config.second_dense_width, 10);
  std::filesystem::remove(folder_ / "modules.json");
  expect_refused({"use_bidirectional_attention", "modules.json"});
}

TEST_F(DecoderEmbedder, IsRefusedForLinearLayersThatDiffer) {
  copy("embedding_gemma_sentences");
  replace("3_Dense/config.json", "torch.nn.modules.linear.Identity",
          "torch.nn.modules.activation.Tanh");
  expect_refused({"two Dense"});
}

// An embedder that sees whole texts is no decoder.
TEST_F(DecoderEmbedder, IsNotWrittenOfAnEncoder) {
  copy("qwen3_sentences");
  Checkpoint both = imported().checkpoint;
  nlohmann::ordered_json config = nlohmann::ordered_json::parse(both.text("attend.config"));
  config.at("causal") = false;
  both.metadata["attend.config"] = config.dump();
  EXPECT_THROW(export_model(both), ConfigError);
}

}  // namespace
}  // namespace attend
