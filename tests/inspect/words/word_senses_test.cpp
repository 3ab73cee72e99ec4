#include "attend/inspect/words/word_senses.h"

#include <gtest/gtest.h>

#include "attend/error.h"
#include "tasks/small_language.h"
#include "tasks/small_model.h"
#include "tensor/expect_error.h"

namespace attend {
namespace {

// Two uses of one sense and three of another, each sense always in the same words.
const LabeledText kUses{{"fed", "seen"},
                        {"the old cat", "a cat eats the fish", "the old cat", "a cat eats the fish",
                         "a cat eats the fish"},
                        {1, 0, 1, 0, 0}};

TEST(WordSenses, AreOneInTheStaticEmbedding) {
  const WordSenses senses = measure_senses(EmbeddingEngine(small_model()), kUses, "Cat", -1);
  EXPECT_EQ(senses.senses, kUses.classes);
  EXPECT_EQ(senses.uses, (std::vector<std::int64_t>{3, 2}));
  const SenseSeparation& separation = senses.separations.front();
  EXPECT_EQ(separation.vectors, "static embedding");
  // All others are equally near: 2 of 4 have the sense of a "fed" one, 1 of 4 that of a "seen" one.
  EXPECT_NEAR(separation.agreement, (2.0 / 4 + 1.0 / 4) / 2, 1e-9);
  EXPECT_NEAR(separation.within, 1.0, 1e-6);
  EXPECT_NEAR(separation.between, 1.0, 1e-6);
}

TEST(WordSenses, ComeApartInContext) {
  const WordSenses senses = measure_senses(EmbeddingEngine(small_model()), kUses, "cat", -1);
  ASSERT_EQ(senses.separations.size(), 5u) << "static, what enters the encoder, three layers";
  EXPECT_EQ(senses.separations.back().vectors, "layer 3");
  for (std::size_t i = 1; i < 5; ++i) {
    EXPECT_NEAR(senses.separations[i].agreement, 1.0, 1e-9);
    EXPECT_NEAR(senses.separations[i].within, 1.0, 1e-6);
    EXPECT_LT(senses.separations[i].between, 0.999);
  }
}

TEST(WordSenses, AreDrawnAtTheLayerAskedFor) {
  for (const int layer : {-1, 0, 2}) {
    const Plot plot = measure_senses(EmbeddingEngine(small_model()), kUses, "cat", layer).plot;
    ASSERT_EQ(plot.series.size(), 2u);
    EXPECT_EQ(plot.series[0].label, "fed");
    EXPECT_EQ(plot.series[0].points.size(), 3u);
    EXPECT_EQ(plot.series[1].points.size(), 2u);
    EXPECT_FALSE(plot.joined);
  }
}

TEST(WordSenses, NeedUsesOfTheWord) {
  const EmbeddingEngine embedder(small_model());
  expect_error<DataError>([&] { measure_senses(embedder, kUses, "dog", -1); },
                          {"dog", "the old cat"});
  LabeledText single = kUses;
  single.labels = {1, 0, 0, 0, 0};
  expect_error<DataError>([&] { measure_senses(embedder, single, "cat", -1); },
                          {"seen", "two uses"});
  expect_error<ConfigError>([&] { measure_senses(embedder, kUses, "cat", 4); }, {"layer", "got 4"});
}

}  // namespace
}  // namespace attend
