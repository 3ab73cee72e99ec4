#include "attend/tasks/embedding/engine.h"

#include <gtest/gtest.h>

#include <sstream>

#include "attend/error.h"
#include "attend/inspect/words/nearest_contexts.h"
#include "tasks/small_language.h"
#include "tasks/small_model.h"
#include "tensor/expect_error.h"

namespace attend {
namespace {

class EmbedderTest : public testing::Test {
 protected:
  std::vector<TextEmbedding> embed(const std::vector<std::string>& texts, int layer = -1,
                                   EmbeddingPooling pooling = EmbeddingPooling::none) {
    EmbeddingOptions options;
    options.layer = layer;
    options.pooling = pooling;
    return embedder_.embed(texts, options);
  }
  EmbeddingEngine embedder_{small_model()};
};

TEST_F(EmbedderTest, GivesEveryTokenAVector) {
  const TextEmbedding embedding = embed({"the old dog"}).front();
  EXPECT_EQ(embedding.vectors.shape(),
            (Shape{static_cast<std::int64_t>(embedding.tokens.size()), 16}));
  EXPECT_EQ(embedding.words.size(), 3u);
}

TEST_F(EmbedderTest, TheLastLayerIsWhatTheDecoderReads) {
  const TranslationModel model = small_model();
  const std::vector<std::int32_t> ids = source_ids(model, "the old dog"),
                                  offsets{0, static_cast<std::int32_t>(ids.size())};
  const NoGradient guard;
  Pass pass = Pass::inference();
  const Tensor memory = model.network->encode(Ragged::copy(ids, offsets), pass).value();
  EXPECT_EQ(embed({"the old dog"}).front().vectors.to_vector(),
            memory.slice_rows(0, memory.dim(0) - 1).to_vector());
  EXPECT_EQ(embed({"the old dog"}, 3).front().vectors.to_vector(),
            embed({"the old dog"}, -1).front().vectors.to_vector());
}

TEST_F(EmbedderTest, DoesNotDependOnTheOtherTexts) {
  const auto alone = embed({"the old dog"}).front().vectors.to_vector();
  EXPECT_EQ(embed({"a cat eats the fish", "the old dog", "dogs"})[1].vectors.to_vector(), alone);
}

TEST_F(EmbedderTest, PoolsOverTheTokens) {
  const Tensor vectors = embed({"the old dog"}).front().vectors;
  const auto pooled = [&](EmbeddingPooling pooling) {
    return embed({"the old dog"}, -1, pooling).front().vectors.to_vector();
  };
  const auto mean = pooled(EmbeddingPooling::mean), max = pooled(EmbeddingPooling::max),
             first = pooled(EmbeddingPooling::first);
  for (std::int64_t d = 0; d < 16; ++d) {
    float sum = 0, largest = vectors.row(0)[d];
    for (std::int64_t t = 0; t < vectors.dim(0); ++t) {
      sum += vectors.row(t)[d];
      largest = std::max(largest, vectors.row(t)[d]);
    }
    EXPECT_NEAR(mean[static_cast<std::size_t>(d)], sum / static_cast<float>(vectors.dim(0)), 1e-6);
    EXPECT_EQ(max[static_cast<std::size_t>(d)], largest);
    EXPECT_EQ(first[static_cast<std::size_t>(d)], vectors.row(0)[d]);
  }
}

TEST_F(EmbedderTest, AWordHasOneVectorWithoutContextAndManyWithIt) {
  const std::vector<std::string> texts{"the cat", "a small cat"};
  const auto of_last_word = [](const TextEmbedding& e) {
    return mean_vector(e.vectors, e.words.back().begin, e.words.back().end);
  };
  const auto with = embed(texts);
  const auto without = embedder_.embed_without_context(texts, EmbeddingPooling::none);
  EXPECT_NE(of_last_word(with[0]), of_last_word(with[1]));
  EXPECT_EQ(of_last_word(without[0]), of_last_word(without[1]));
}

TEST_F(EmbedderTest, KnowsItsLayers) {
  EXPECT_EQ(embedder_.layers(), 3);
  EXPECT_NE(embed({"the cat"}, 0).front().vectors.to_vector(),
            embed({"the cat"}, 1).front().vectors.to_vector());
  EXPECT_THROW(embed({"the cat"}, 4), ConfigError);
  EXPECT_THROW(embed({"the cat"}, -5), ConfigError);
}

TEST_F(EmbedderTest, AnEmptyTextIsZeros) {
  EXPECT_EQ(embed({""}).front().vectors.dim(0), 0);
  EXPECT_EQ(embed({""}, -1, EmbeddingPooling::mean).front().vectors.to_vector(),
            std::vector<float>(16, 0.0f));
}

TEST(LanguageEmbedder, KnowsWhatStandsBeforeAToken) {
  const EmbeddingEngine embedder(small_language_model());
  EmbeddingOptions options;
  options.pooling = EmbeddingPooling::none;
  const std::vector<std::string> texts{"the cat sat", "the cat ran to the mat", "a cat sat"};
  const auto embeddings = embedder.embed(texts, options);
  const auto word = [&](std::size_t text, std::int64_t t) {
    return embeddings[text].vectors.slice_rows(t, t + 1).to_vector();
  };
  EXPECT_EQ(embeddings[0].vectors.shape(), (Shape{3, 32}));
  EXPECT_EQ(word(0, 1), word(1, 1)) << "what follows is not seen";
  EXPECT_NE(word(0, 1), word(2, 1));
}

TEST(LanguageEmbedder, HasRoomForATextAndTheMarksAtItsEnds) {
  LanguageModel model = small_language_model();
  LanguageTransformerConfig config = model.network->config();
  config.positions = PositionKind::learned;
  config.max_positions = 6;
  model.network = std::make_shared<LanguageTransformer>(config, 7);
  const EmbeddingEngine embedder(model);
  const std::vector<std::string> fits{"the cat sat on"}, long_by_one{"the cat sat on the"};
  EXPECT_NO_THROW(embedder.check_length(fits.front(), "line 1"));
  EXPECT_NO_THROW(embedder.embed(fits, {}));
  expect_error<DataError>([&] { embedder.check_length(long_by_one.front(), "line 1"); },
                          {"line 1: a text of 5 tokens plus bos and eos"});
  expect_error<DataError>([&] { embedder.embed(long_by_one, {}); },
                          {"text 1: a text of 5 tokens plus bos and eos", "6 positions"});
}

TEST_F(EmbedderTest, FindsTheNearestUsesOfAWord) {
  std::istringstream stream(
      "a cat eats fish\nno such animal\nthe old dog sees the small cat\nthe cat\n");
  LineReader corpus(stream, "corpus");
  const auto nearest =
      nearest_contexts(embedder_, "the old dog sees the small cat", "cat", corpus, -1, 2);
  ASSERT_EQ(nearest.size(), 2u);
  EXPECT_EQ(nearest[0].line_number, 3);
  EXPECT_GE(nearest[0].similarity, nearest[1].similarity);
  std::istringstream again("x\n");
  LineReader other(again, "corpus");
  EXPECT_THROW(nearest_contexts(embedder_, "the old dog", "cat", other, -1, 2), DataError);
}

TEST(CosineSimilarity, IsThatOfTheAngle) {
  const std::vector<float> a{3, 4}, b{4, -3}, c{-6, -8}, zero{0, 0};
  EXPECT_FLOAT_EQ(cosine_similarity(a, a), 1.0f);
  EXPECT_FLOAT_EQ(cosine_similarity(a, b), 0.0f);
  EXPECT_FLOAT_EQ(cosine_similarity(a, c), -1.0f);
  EXPECT_EQ(cosine_similarity(a, zero), 0.0f);
  EXPECT_THROW(cosine_similarity(a, std::vector<float>{1, 2, 3}), ConfigError);
}

}  // namespace
}  // namespace attend
