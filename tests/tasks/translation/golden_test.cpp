#include "attend/tasks/translation/golden.h"

#include <gtest/gtest.h>

#include "attend/checkpoint/parameters.h"
#include "attend/core/error.h"
#include "tasks/small_model.h"

namespace attend {
namespace {

Checkpoint golden_checkpoint() {
  Checkpoint checkpoint = checkpoint_of(small_model());
  add_golden_sentences(checkpoint);
  return checkpoint;
}

TEST(GoldenSentences, HoldWhenTheModelComputesTheSame) {
  const Checkpoint checkpoint = golden_checkpoint();
  const std::vector<GoldenSentence> golden = golden_sentences(checkpoint);
  EXPECT_EQ(golden.size(), 3u);
  EXPECT_LT(golden_deviation(translation_model(checkpoint), golden), 1e-6);
}

TEST(GoldenSentences, ShowThatItComputesSomethingElse) {
  const Checkpoint checkpoint = golden_checkpoint();
  const TranslationModel model = translation_model(checkpoint);
  for (float& value : model.network->parameters().values().span()) value *= 1.01f;
  EXPECT_GT(golden_deviation(model, golden_sentences(checkpoint)), kGoldenTolerance);
}

TEST(GoldenSentences, AreAFunctionOfTheModelAlone) {
  EXPECT_EQ(golden_checkpoint().text("attend.golden"), golden_checkpoint().text("attend.golden"));
}

TEST(GoldenSentences, FitIntoFewPositions) {
  for (const int positions : {2, 4, 7}) {
    TranslationModel model = small_model();
    auto config = std::get<TransformerConfig>(model.network->architecture());
    config.positions = PositionKind::learned;
    config.max_positions = positions;
    model.network = std::make_shared<Transformer>(config, 1);
    Checkpoint checkpoint = checkpoint_of(model);
    add_golden_sentences(checkpoint);
    EXPECT_LT(golden_deviation(model, golden_sentences(checkpoint)), 1e-6) << positions;
  }
}

TEST(GoldenSentences, MayBeAbsentButNotDamaged) {
  Checkpoint checkpoint = golden_checkpoint();
  checkpoint.metadata["attend.golden"] = "[{\"src\": \"text\"}]";
  EXPECT_THROW(golden_sentences(checkpoint), DataError);
  const TranslationModel model = translation_model(checkpoint);
  EXPECT_THROW(golden_deviation(model, {{{1, 2}, {1000000}, -1.0f}}), DataError);
  EXPECT_THROW(golden_deviation(model, {{{}, {1}, -1.0f}}), DataError);
  checkpoint.metadata.erase("attend.golden");
  EXPECT_TRUE(golden_sentences(checkpoint).empty());
}

}  // namespace
}  // namespace attend
