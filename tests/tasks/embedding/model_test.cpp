#include "attend/tasks/embedding/model.h"

#include <gtest/gtest.h>

#include "attend/checkpoint/checkpoint.h"
#include "attend/core/threads/runtime.h"
#include "attend/error.h"
#include "attend/tasks/embedding/engine.h"
#include "attend/tasks/model_file/model_quantization.h"
#include "attend/tasks/model_file/registry.h"
#include "checkpoint/test_folder.h"
#include "tasks/small_classifier.h"
#include "tasks/small_embedder.h"
#include "tensor/expect_error.h"

namespace attend {
namespace {

std::vector<float> vector_of(const EmbeddingEngine& engine, const std::string& text,
                             const EmbeddingOptions& options = {}) {
  return engine.embed(std::vector{text}, options).front().vectors.to_vector();
}

class EmbeddingModelFile : public FolderTest {};

TEST_F(EmbeddingModelFile, KeepsWhatTheModelComputes) {
  EmbeddingModel model = small_embedder();
  model.prompts.usual = "query";
  save_checkpoint(path("model"), finished_checkpoint_of(model));
  const auto loaded = load_model(path("model"));
  EXPECT_EQ(loaded->task(), "embedding");
  EXPECT_EQ(loaded->configuration(), model.configuration());
  EXPECT_EQ(loaded->longest_input(), 12);
  EXPECT_EQ(vector_of(EmbeddingEngine(*loaded), "a good film"),
            vector_of(EmbeddingEngine(model), "a good film"));
  EXPECT_LT(check_model(load_checkpoint(path("model")))->deviation, 1e-6);
  const Checkpoint quantized = quantize_model(load_checkpoint(path("model")));
  EXPECT_TRUE(check_model(quantized)->holds());
  EXPECT_NE(vector_of(EmbeddingEngine(*load_model(quantized)), "a good film"),
            vector_of(EmbeddingEngine(model), "a good film"));
}

TEST(EmbeddingModel, PoolsAllTokensAndTheSpecialOnesAroundThem) {
  for (const Pooling pooling : {Pooling::mean, Pooling::max, Pooling::first}) {
    const EmbeddingModel model = small_embedder(pooling);
    const std::vector<std::int32_t> ids = model.ids("a good film");
    EXPECT_EQ(ids.front(), model.tokenizer.bos_id());
    EXPECT_EQ(ids.back(), model.tokenizer.eos_id());
    EXPECT_EQ(vector_of(EmbeddingEngine(model), "a good film"),
              text_vectors(model, Ragged::one(ids)).to_vector());
  }
}

TEST(EmbeddingModel, GivesTheSameVectorsInBatchesOfManyTokensOnAnyThreads) {
  const EmbeddingEngine engine(small_embedder());
  std::vector<std::string> texts;
  for (std::size_t i = 0; i < 400; ++i) texts.push_back(kRemarks[i % kRemarks.size()]);
  for (const int threads : {1, 2, 3}) {
    const RuntimeScope runtime({.threads = threads});
    const auto all = engine.embed(texts, {.batch_size = 300});
    ASSERT_EQ(all.size(), texts.size());
    for (std::size_t i = 0; i < all.size(); ++i)
      ASSERT_EQ(all[i].vectors.to_vector(), vector_of(engine, texts[i])) << i;
  }
}

TEST(EmbeddingModel, GivesOtherVectorsOnRequest) {
  const EmbeddingModel model = small_embedder();
  const EmbeddingEngine engine(model);
  const TextEmbedding tokens =
      engine.embed(std::vector<std::string>{"a good film"}, {.pooling = EmbeddingPooling::none})
          .front();
  EXPECT_EQ(tokens.vectors.rows(), std::ssize(model.ids("a good film")) - 2);
  EXPECT_EQ(vector_of(engine, "a good film", {.pooling = EmbeddingPooling::mean}),
            mean_vector(tokens.vectors, 0, tokens.vectors.rows()));
  EXPECT_NE(vector_of(engine, "a good film", {.layer = 1}), vector_of(engine, "a good film"));
}

TEST(EmbeddingModel, TruncatesLongTexts) {
  const EmbeddingEngine engine(small_embedder());
  std::string text = "film";
  while (small_embedder().tokenizer.encode(text).size() < 30) text += " film";
  EXPECT_NO_THROW(engine.check_length(text, "here"));
  const auto found = engine.embed(std::vector{text, text + " good"}, {});
  EXPECT_EQ(found[0].tokens.size(), 7u) << "9 with the special ones";
  EXPECT_EQ(found[0].omitted, std::ssize(small_embedder().tokenizer.encode(text)) - 7);
  EXPECT_EQ(engine.embed(std::vector<std::string>{"film"}, {})[0].omitted, 0);
  EXPECT_EQ(found[0].vectors.to_vector(), found[1].vectors.to_vector());
}

TEST(EmbeddingModel, PutsThePromptBeforeTheText) {
  EmbeddingModel model = small_embedder();
  const std::vector<float> with = vector_of(EmbeddingEngine(model), "good film"),
                           without = vector_of(EmbeddingEngine(model), "film");
  EXPECT_NE(with, without);
  EXPECT_EQ(vector_of(EmbeddingEngine(model), "film", {.prompt = "query"}), with);
  EXPECT_EQ(vector_of(EmbeddingEngine(model), "film", {.prompt = "passage"}), without);
  model.prompts.usual = "query";
  EXPECT_EQ(vector_of(EmbeddingEngine(model), "film"), with);
  EXPECT_EQ(vector_of(EmbeddingEngine(model), "film", {.prompt = "passage"}), without);
}

TEST(EmbeddingModel, NamesThePromptsItHas) {
  expect_error<ConfigError>(
      [] { vector_of(EmbeddingEngine(small_embedder()), "film", {.prompt = "clustering"}); },
      {"prompt: expected one of the model's, passage, query; got 'clustering'"});
  expect_error<ConfigError>(
      [] { vector_of(EmbeddingEngine(small_classifier()), "film", {.prompt = "query"}); },
      {"prompt: the model has no prompts, got 'query'"});
}

TEST(EmbeddingModel, ThatIsDamagedIsRefused) {
  const auto refuse = [](const char* key, const char* json,
                         std::initializer_list<std::string_view> fragments) {
    Checkpoint checkpoint = checkpoint_of(small_embedder());
    checkpoint.source = "file";
    checkpoint.metadata[key] = json;
    expect_error<DataError>([&] { load_model(checkpoint); }, fragments);
  };
  refuse("attend.prompts", "[1]", {"file: attend.prompts: expected names and texts"});
  refuse("attend.prompts", R"({"query": 1})", {"attend.prompts", "'query': expected a text"});
  refuse("attend.prompt", "search", {"attend.prompt", "'search' is not the name of a prompt"});
  refuse("attend.text", R"({"max_length": 2, "truncation": "right"})",
         {"file: attend.config: max_length is 2, expected at least 3"});
  refuse("attend.text", R"({"max_length": 13, "truncation": "right"})",
         {"file: attend.config: max_length: 13 tokens do not fit in max_positions 12"});
  refuse("attend.config", R"({"pooling": "sum"})", {"file: attend.config", "pooling"});
}

TEST_F(EmbeddingModelFile, KeepsItsSimilarityAndWhatItReads) {
  EmbeddingModel model = small_embedder();
  EXPECT_FALSE(model.configuration().contains("attend.similarity"));
  model.similarity = Similarity::dot;
  model.pools_prompt = false;
  model.special_text = SpecialText::as_tokens;
  save_checkpoint(path("model"), finished_checkpoint_of(model));
  const auto loaded = load_model(path("model"));
  EXPECT_EQ(loaded->configuration(), model.configuration());
  EXPECT_EQ(EmbeddingEngine(*loaded).similarity(), Similarity::dot);
}

TEST(EmbeddingModel, SaysHowWideItsVectorsAre) {
  EmbedderConfig config = small_embedder().network->config();
  config.dense_width = 10;
  config.more_pooling = {"max"};
  const EmbeddingModel small = small_embedder();
  const EmbeddingEngine engine(
      EmbeddingModel(std::make_shared<TextEmbedder>(config, 7), small.tokenizer, small.length));
  EXPECT_EQ(engine.vector_width({}), 10);
  EmbeddingOptions mean;
  mean.pooling = EmbeddingPooling::mean;
  EXPECT_EQ(engine.vector_width(mean), 32);
  EXPECT_EQ(EmbeddingEngine(small_classifier()).vector_width({}),
            EmbeddingEngine(small_classifier()).width());
}

TEST(EmbeddingModel, LeavesThePromptOutOfThePooling) {
  EmbeddingModel model = small_embedder(Pooling::first, false);
  EmbeddingOptions options;
  options.prompt_text = "good ";
  options.pooling = EmbeddingPooling::none;
  const EmbeddingEngine with(model);
  const TextEmbedding tokens = with.embed(std::vector<std::string>{"a film"}, options).front();
  model.pools_prompt = false;
  options.pooling = EmbeddingPooling::standard;
  const EmbeddingEngine without(model);
  const std::size_t before = model.tokenizer.encode("good ").size();
  const auto row = static_cast<std::int64_t>(before);
  EXPECT_EQ(vector_of(without, "a film", options),
            tokens.vectors.slice_rows(row, row + 1).clone().to_vector());
  EXPECT_NE(vector_of(without, "a film", options), vector_of(with, "a film", options));
  options.prompt_text = "";
  EXPECT_EQ(vector_of(without, "a film", options), vector_of(with, "a film", options));
}

TEST(EmbeddingModel, TakesATextInPlaceOfItsPrompts) {
  EmbeddingModel model = small_embedder();
  model.prompts.usual = "query";
  const EmbeddingEngine engine(model);
  EmbeddingOptions none, own;
  none.prompt_text = "";
  own.prompt_text = "good ";
  own.prompt = "nonsense";  // not used
  EXPECT_EQ(vector_of(engine, "film", own), vector_of(engine, "film"));
  EXPECT_NE(vector_of(engine, "film", none), vector_of(engine, "film"));
}

TEST(EmbeddingModel, GivesTheVectorsOfSpecialTokensOnRequest) {
  const EmbeddingEngine engine(small_embedder());
  EmbeddingOptions options;
  options.pooling = EmbeddingPooling::none;
  const std::vector<std::string> text{"a good film"};
  const TextEmbedding plain = engine.embed(text, options).front();
  options.special_tokens = true;
  const TextEmbedding all = engine.embed(text, options).front();
  EXPECT_EQ(all.vectors.rows(), plain.vectors.rows() + 2);
  EXPECT_EQ(all.tokens.size(), plain.tokens.size() + 2);
  EXPECT_EQ(all.vectors.slice_rows(1, 2).clone().to_vector(),
            plain.vectors.slice_rows(0, 1).clone().to_vector());
}

}  // namespace
}  // namespace attend
