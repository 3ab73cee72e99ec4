#include "attend/inspect/words/word_uses.h"

#include <gtest/gtest.h>

#include <cmath>

#include "attend/error.h"
#include "attend/inspect/words/word_vector.h"
#include "tasks/small_language.h"
#include "tasks/small_model.h"
#include "tensor/expect_error.h"

namespace attend {
namespace {

const std::vector<std::string> kUsesOfCat{"the old cat", "a cat eats the fish", "the small cat",
                                          "cat"};

// The vector of the word in the text at a layer.
std::vector<float> vector_of(const EmbeddingEngine& embedder, const std::string& text, int layer) {
  EmbeddingOptions options;
  options.layer = layer;
  options.pooling = EmbeddingPooling::none;
  return word_vector(embedder.embed(std::span(&text, 1), options).front(), "cat");
}

double squared_distance(const std::vector<float>& a, const std::vector<float>& b) {
  double sum = 0;
  for (std::size_t d = 0; d < a.size(); ++d) sum += (a[d] - b[d]) * (a[d] - b[d]);
  return sum;
}

TEST(WordUses, OfThreeTextsKeepTheirDistances) {
  const EmbeddingEngine embedder(small_model());
  const std::vector<std::string> texts(kUsesOfCat.begin(), kUsesOfCat.begin() + 3);
  for (const int layer : {-1, 0, 2}) {
    const WordUses found = word_uses(embedder, texts, "Cat", layer);
    EXPECT_EQ(found.layer, embedder.layer_number(layer));
    ASSERT_EQ(found.uses.size(), 3u);
    EXPECT_NEAR(found.shown_variance, 1.0, 1e-6) << "three points are in a plane";
    for (std::size_t i = 0; i < 3; ++i) {
      EXPECT_EQ(found.uses[i].text, texts[i]);
      const std::size_t j = (i + 1) % 3;
      const double distance =
          std::hypot(found.uses[i].x - found.uses[j].x, found.uses[i].y - found.uses[j].y);
      EXPECT_NEAR(distance * distance,
                  squared_distance(vector_of(embedder, texts[i], layer),
                                   vector_of(embedder, texts[j], layer)),
                  1e-3);
    }
  }
}

TEST(WordUses, TellTheMostSimilarOtherUse) {
  const EmbeddingEngine embedder(small_model());
  const WordUses found = word_uses(embedder, kUsesOfCat, "cat", -1);
  for (std::size_t i = 0; i < kUsesOfCat.size(); ++i) {
    const WordUse& use = found.uses[i];
    ASSERT_GE(use.nearest, 0);
    EXPECT_NE(static_cast<std::size_t>(use.nearest), i);
    const auto similarity_to = [&](std::size_t other) {
      return cosine_similarity(vector_of(embedder, kUsesOfCat[i], -1),
                               vector_of(embedder, kUsesOfCat[other], -1));
    };
    EXPECT_FLOAT_EQ(use.similarity, similarity_to(static_cast<std::size_t>(use.nearest)));
    for (std::size_t j = 0; j < kUsesOfCat.size(); ++j) {
      if (j == i) continue;
      EXPECT_LE(similarity_to(j), use.similarity + 1e-6f);
    }
  }
}

TEST(WordUses, SayHowMuchThePlaneShows) {
  const EmbeddingEngine embedder(small_model());
  const WordUses found = word_uses(embedder, kUsesOfCat, "cat", -1);
  double shown = 0, all = 0;
  for (std::size_t i = 0; i < kUsesOfCat.size(); ++i) {
    shown += found.uses[i].x * found.uses[i].x + found.uses[i].y * found.uses[i].y;
    for (const std::string& other : kUsesOfCat)  // each pair twice: 2 n times the variation
      all +=
          squared_distance(vector_of(embedder, kUsesOfCat[i], -1), vector_of(embedder, other, -1));
  }
  EXPECT_NEAR(found.shown_variance, shown / (all / (2.0 * 4)), 1e-4);
  EXPECT_LT(found.shown_variance, 0.9999);
  EXPECT_GT(found.shown_variance, 0.4);
}

TEST(WordUses, OfALanguageModelSeeOnlyWhatIsBefore) {
  const EmbeddingEngine embedder(small_language_model());
  const std::vector<std::string> texts{"the cat sat", "the cat ran"};
  const WordUses found = word_uses(embedder, texts, "cat", -1);
  EXPECT_NEAR(found.uses[0].similarity, 1.0f, 1e-5f);
  EXPECT_NEAR(found.uses[0].x, 0.0, 1e-5);
}

TEST(WordUses, OfOneTextIsAPoint) {
  const EmbeddingEngine embedder(small_model());
  const WordUses found = word_uses(embedder, std::span(kUsesOfCat).first(1), "cat", -1);
  ASSERT_EQ(found.uses.size(), 1u);
  EXPECT_EQ(found.uses[0].nearest, -1);
  EXPECT_NEAR(found.uses[0].x, 0.0, 1e-9);
  EXPECT_EQ(found.shown_variance, 1.0);
}

TEST(WordUses, ThatAreEqualAreAPoint) {
  const EmbeddingEngine embedder(small_model());
  // What enters the first layer depends on the place of the word alone.
  const std::vector<std::string> texts{"the cat eats", "the cat sees the dog", "the cat"};
  const WordUses found = word_uses(embedder, texts, "cat", 0);
  for (const WordUse& use : found.uses) EXPECT_NEAR(std::hypot(use.x, use.y), 0.0, 1e-5);
  EXPECT_EQ(found.shown_variance, 1.0);
}

TEST(WordUses, NeedTheWordAndTheLayer) {
  const EmbeddingEngine embedder(small_model());
  expect_error<DataError>([&] { word_uses(embedder, kUsesOfCat, "dog", -1); },
                          {"text 1", "dog", "the old cat"});
  expect_error<ConfigError>([&] { word_uses(embedder, kUsesOfCat, "cat", 9); }, {"layer", "9"});
}

}  // namespace
}  // namespace attend
