// The recurrent encoder-decoder where tasks meet models: files, translations, scores, maps,
// vectors.
#include <gtest/gtest.h>

#include <cmath>

#include "attend/checkpoint/parameters.h"
#include "attend/models/make_encoder_decoder.h"
#include "attend/tasks/embedding/engine.h"
#include "attend/tasks/explanation/attention_maps.h"
#include "attend/tasks/translation/engine.h"
#include "checkpoint/test_folder.h"
#include "tasks/small_model.h"

namespace attend {
namespace {

TranslationModel recurrent_model() {
  const TranslationModel transformer = small_model();
  RecurrentConfig config;
  config.d_model = 16;
  config.d_hidden = 12;
  config.tie_embeddings = TiedEmbeddings::target;
  config.src_vocab_size = transformer.src_tokenizer.vocab_size();
  config.tgt_vocab_size = transformer.tgt_tokenizer.vocab_size();
  return {make_encoder_decoder(config, 7), transformer.src_tokenizer, transformer.tgt_tokenizer};
}

const std::vector<std::string> kSentences{"the old dog sees the small cat", "", "dogs catch fish"};

TranslationOptions short_options() {
  TranslationOptions options;
  options.beam.max_length = 12;
  options.alignment = true;
  return options;
}

class RecurrentModelFile : public FolderTest {
 protected:
  TranslationModel saved_and_loaded(const Checkpoint& checkpoint) {
    save_checkpoint(path("model.safetensors"), checkpoint);
    return load_translation_model(path("model.safetensors"));
  }
  TranslationModel model_ = recurrent_model();
};

TEST_F(RecurrentModelFile, TranslatesAsTheModelThatWasSaved) {
  const auto before = TranslationEngine(model_).translate(kSentences, short_options());
  const auto after = TranslationEngine(saved_and_loaded(checkpoint_of(model_)))
                         .translate(kSentences, short_options());
  for (std::size_t i = 0; i < kSentences.size(); ++i) {
    EXPECT_EQ(after[i].text(), before[i].text());
    EXPECT_EQ(after[i].candidates[0].token_scores, before[i].candidates[0].token_scores);
    EXPECT_EQ(after[i].candidates[0].alignment, before[i].candidates[0].alignment);
  }
}

TEST_F(RecurrentModelFile, SaysWhatItIs) {
  const Checkpoint checkpoint = checkpoint_of(model_);
  EXPECT_EQ(checkpoint.text("attend.arch"), "rnn");
  const ArchitectureConfig config = saved_and_loaded(checkpoint).network->architecture();
  ASSERT_TRUE(std::holds_alternative<RecurrentConfig>(config));
  EXPECT_EQ(std::get<RecurrentConfig>(config).d_hidden, 12);
}

TEST_F(RecurrentModelFile, ComputesItsGoldenSamplesAgain) {
  const Checkpoint checkpoint = finished_checkpoint_of(model_);
  const ModelCheck check =
      check_golden_samples(saved_and_loaded(checkpoint), golden_samples(checkpoint, model_));
  EXPECT_EQ(check.samples, 3u);
  EXPECT_EQ(check.deviation, 0.0);
}

TEST_F(RecurrentModelFile, WithAnUnknownArchitectureIsRefused) {
  Checkpoint checkpoint = checkpoint_of(model_);
  checkpoint.metadata["attend.arch"] = "cnn";
  save_checkpoint(path("model.safetensors"), checkpoint);
  const std::string message =
      data_error([this] { load_translation_model(path("model.safetensors")); });
  EXPECT_CONTAINS(message, "attend.arch: expected one of transformer, rnn, found cnn");
}

TEST_F(RecurrentModelFile, WithTheOptionsOfAnotherArchitectureIsRefused) {
  Checkpoint checkpoint = checkpoint_of(model_);
  checkpoint.metadata["attend.arch"] = "transformer";
  save_checkpoint(path("model.safetensors"), checkpoint);
  EXPECT_CONTAINS(data_error([this] { load_translation_model(path("model.safetensors")); }),
                  "d_hidden");
}

// As files were written before there was a choice.
TEST_F(RecurrentModelFile, WithoutAnArchitectureIsATransformer) {
  const TranslationModel transformer = small_model();
  Checkpoint checkpoint = checkpoint_of(transformer);
  checkpoint.metadata.erase("attend.arch");
  std::string& config = checkpoint.metadata["attend.config"];
  for (const std::string option :
       {"\"attention_scores\":\"standard\",", "\"attention_choice\":\"soft\",",
        "\"inverse_temperature\":0.0,"}) {
    const std::size_t at = config.find(option);
    ASSERT_NE(at, std::string::npos) << option << " is not in " << config;
    config.erase(at, option.size());
  }
  const auto before = TranslationEngine(transformer).translate(kSentences, short_options());
  const auto after =
      TranslationEngine(saved_and_loaded(checkpoint)).translate(kSentences, short_options());
  for (std::size_t i = 0; i < kSentences.size(); ++i) EXPECT_EQ(after[i].text(), before[i].text());
}

TEST_F(RecurrentModelFile, ScoresItsTranslationsAsItFoundThem) {
  const TranslationEngine translator(model_);
  const std::vector<std::string> src{kSentences[0], kSentences[2]};
  const auto translations = translator.translate(src, short_options());
  std::vector<std::vector<std::int32_t>> sources, targets;
  for (std::size_t i = 0; i < src.size(); ++i) {
    sources.push_back(source_ids(model_, src[i]));
    std::vector<std::int32_t> ids;
    for (const std::string& token : translations[i].candidates[0].tokens)
      ids.push_back(model_.tgt_tokenizer.id(token));
    targets.push_back(ids);
  }
  const std::vector<SequenceScore> scores =
      score_pairs(model_, model_.format.of({}), sources, targets);
  for (std::size_t i = 0; i < src.size(); ++i) {
    const std::vector<float>& found = translations[i].candidates[0].token_scores;
    for (std::size_t t = 0; t < found.size(); ++t)
      EXPECT_NEAR(scores[i].token_scores[t], found[t], 1e-5);
  }
}

TEST_F(RecurrentModelFile, HasOneMapOfCrossAttentionAndNoOther) {
  const std::vector<std::int32_t> src = source_ids(model_, kSentences[0]),
                                  tgt = model_.tgt_tokenizer.encode("der alte hund");
  const AttentionMaps maps = attention_maps(model_, model_.format.of({}), src, tgt);
  EXPECT_TRUE(maps.encoder.empty());
  EXPECT_TRUE(maps.decoder.empty());
  ASSERT_EQ(maps.cross.size(), 1u);
  ASSERT_EQ(maps.cross[0].size(), 1u);
  const AttentionMap& map = maps.cross[0][0];
  EXPECT_EQ(map.rows, std::ssize(tgt) + 1);
  EXPECT_EQ(map.cols, std::ssize(src));
  for (std::int64_t row = 0; row < map.rows; ++row) {
    double total = 0.0;
    for (std::int64_t col = 0; col < map.cols; ++col)
      total += map.weights[static_cast<std::size_t>(row * map.cols + col)];
    EXPECT_NEAR(total, 1.0, 1e-5);
  }
}

TEST_F(RecurrentModelFile, GivesVectorsOfItsEmbeddingsAndItsStates) {
  const EmbeddingEngine embedder(model_);
  EXPECT_EQ(embedder.layers(), 1);
  EmbeddingOptions options;
  EXPECT_EQ(embedder.embed(kSentences, options)[0].vectors.shape(), (Shape{1, 24}))
      << "states of both directions";
  options.layer = 0;
  EXPECT_EQ(embedder.embed(kSentences, options)[0].vectors.shape(), (Shape{1, 16}));
}

}  // namespace
}  // namespace attend
