// Encoders whose layers differ from BERT's: what is read of their settings, and what is refused.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "attend/interchange/foreign_model.h"
#include "attend/tasks/classification/model.h"
#include "attend/tasks/embedding/engine.h"
#include "attend/tasks/embedding/model.h"
#include "attend/tasks/model_file/registry.h"
#include "attend/tasks/tagging/model.h"
#include "interchange/damaged_directory.h"
#include "interchange/fixtures.h"
#include "ops/operands.h"

namespace attend {
namespace {

using ChangedEncoder = DamagedDirectory;

Checkpoint encoder_of(const std::string& name) {
  return import_model(ModelDirectory(fixture("models") / name)).checkpoint;
}

TEST(ImportedEncoder, HasBiasesByDistanceBesideLearnedPositions) {
  const auto model = embedding_model(encoder_of("mpnet_sentences"));
  const EmbedderConfig& config = model.network->config();
  EXPECT_EQ(config.positions, PositionKind::learned);
  EXPECT_EQ(config.max_positions, 38);
  EXPECT_EQ(config.uncounted_token, 1);
  EXPECT_EQ(config.distance_biases, DistanceBiases::relative);
  EXPECT_EQ(config.token_types, 0);
  EXPECT_EQ(model.length.max_length, 12);
}

TEST(ImportedEncoder, HasNarrowEmbeddingsAndSharedLayers) {
  const auto albert = embedding_model(encoder_of("albert_sentences"));
  EXPECT_EQ(albert.network->config().embedding_width, 8);
  EXPECT_EQ(albert.network->config().n_encoder_layers, 3);
  EXPECT_EQ(albert.network->config().layer_groups, 2);
  const auto of = [](const char* name) {
    return tagging_model(encoder_of(name)).network->config().embedding_width;
  };
  EXPECT_EQ(of("albert_tagger"), 8);
  EXPECT_EQ(of("electra_tagger"), 0) << "the width of the embeddings is that of the layers";
}

TEST_F(ChangedEncoder, IsRefusedWithSettingsThatItsFamilyDoesNotHave) {
  const auto refuse = [&](const char* name, const char* from, const char* to,
                          std::initializer_list<std::string_view> fragments) {
    copy(name);
    replace("config.json", from, to);
    expect_refused(fragments);
  };
  refuse("mpnet_classifier", "\"relative_attention_num_buckets\": 32",
         "\"relative_attention_num_buckets\": 40", {"relative_attention_num_buckets", "40", "32"});
  refuse("albert_classifier", "\"inner_group_num\": 1", "\"inner_group_num\": 2",
         {"inner_group_num", "2", "1"});
  refuse("albert_classifier", "\"num_hidden_groups\": 1", "\"num_hidden_groups\": 4",
         {"num_hidden_groups", "4"});
  refuse("electra_classifier", "\"embedding_size\": 12", "\"embedding_size\": 16",
         {"word_embeddings", "[140, 16]"});
  refuse("camembert_classifier", "\"model_type\": \"camembert\"",
         "\"model_type\": \"xlm-roberta-xl\"", {"model_type", "xlm-roberta-xl", "camembert"});
}

TEST(ImportedEncoder, HasDisentangledAttention) {
  const auto model = embedding_model(encoder_of("deberta_sentences"));
  const EmbedderConfig& sentences = model.network->config();
  EXPECT_EQ(sentences.distance_biases, DistanceBiases::disentangled);
  EXPECT_EQ(sentences.positions, PositionKind::learned) << "position_biased_input";
  EXPECT_EQ(sentences.relative.buckets, 12);
  EXPECT_EQ(sentences.relative.distance, 60);
  const auto tagger = tagging_model(encoder_of("deberta_tagger"));
  EXPECT_EQ(tagger.network->config().positions, PositionKind::none);
  EXPECT_EQ(tagger.network->config().token_types, 0);
}

TEST(ImportedEncoder, HasRotaryPositionsAndAGate) {
  const auto model = embedding_model(encoder_of("nomic_bert_sentences"));
  const EmbedderConfig& config = model.network->config();
  EXPECT_EQ(config.positions, PositionKind::rotary);
  EXPECT_EQ(config.rotary.theta, 1000.0);
  EXPECT_TRUE(config.gated_ffn);
  EXPECT_EQ(config.attention_biases, AttentionBiases::none);
  EXPECT_EQ(model.length.max_length, 64) << "more than max_position_embeddings, 40";
}

// Texts of one token, of more than the positions, and of other lengths: the vector of a text is the
// same, bit for bit, alone and beside others.
TEST(ImportedEncoder, GivesATextTheSameVectorInAnyCompany) {
  std::string longest = "A man";
  for (int i = 0; i < 40; ++i) longest += " is walking";
  const std::vector<std::string> texts{
      "x", "", "A man is walking with his dog.", longest, "Où est la bibliothèque ?", "a  b\tc\n"};
  for (const char* name :
       {"mpnet_sentences", "electra_encoder", "camembert_sentences", "albert_sentences",
        "nomic_bert_sentences", "deberta_sentences", "modernbert_sentences", "gte_sentences",
        "jina_bert", "qwen3_sentences", "mistral_sentences", "embedding_gemma_sentences"}) {
    const EmbeddingEngine engine(*load_model(encoder_of(name)));
    const auto together = engine.embed(texts, {});
    for (std::size_t i = 0; i < texts.size(); ++i)
      EXPECT_EQ(engine.embed(std::vector{texts[i]}, {})[0].vectors.to_vector(),
                together[i].vectors.to_vector())
          << name << ", text " << i;
  }
}

TEST(ImportedEncoder, HasNarrowVectorsOfTokensWithoutContext) {
  const EmbeddingEngine engine(*load_model(encoder_of("albert_sentences")));
  const std::vector<std::string> texts{"A man"};
  const auto found = engine.embed_without_context(texts, EmbeddingPooling::none);
  EXPECT_EQ(found[0].vectors.cols(), 8);
}

// The settings of NomicBERT's authors, by other names.
TEST_F(ChangedEncoder, OfNomicHasTheSettingsOfItsAuthors) {
  const nlohmann::json original{{"model_type", "nomic_bert"},
                                {"architectures", {"NomicBertModel"}},
                                {"activation_function", "swiglu"},
                                {"attn_pdrop", 0.0},
                                {"auto_map", {{"AutoModel", "x--modeling.NomicBertModel"}}},
                                {"causal", false},
                                {"layer_norm_epsilon", 1e-12},
                                {"mlp_fc1_bias", false},
                                {"n_embd", 16},
                                {"n_head", 2},
                                {"n_inner", 24},
                                {"n_layer", 2},
                                {"n_positions", 40},
                                {"prenorm", false},
                                {"resid_pdrop", 0.0},
                                {"rotary_emb_base", 1000},
                                {"rotary_emb_fraction", 1.0},
                                {"rotary_emb_interleaved", false},
                                {"rotary_scaling_factor", nullptr},
                                {"type_vocab_size", 2},
                                {"vocab_size", 140}};
  copy("nomic_bert_sentences");
  const Checkpoint wanted = imported().checkpoint;
  nlohmann::json config = original;
  config["vocab_size"] = wanted.tensor("embedding.weight").dim(0);
  write("config.json", config.dump());
  const Checkpoint found = imported().checkpoint;
  EXPECT_EQ(found.metadata, wanted.metadata);
  for (const NamedTensor& tensor : wanted.tensors)
    EXPECT_TRUE(same_bits(found.tensor(tensor.name), tensor.tensor)) << tensor.name;
  for (const auto& [key, value] : {std::pair<const char*, nlohmann::json>{"prenorm", true},
                                   {"rotary_scaling_factor", 2.0},
                                   {"rotary_emb_fraction", 0.5},
                                   {"activation_function", "gelu"},
                                   {"qkv_proj_bias", true},
                                   {"num_experts", 8}}) {
    nlohmann::json other = config;
    other[key] = value;
    write("config.json", other.dump());
    expect_refused({key});
  }
}

}  // namespace
}  // namespace attend
