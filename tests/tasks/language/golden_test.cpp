#include "attend/tasks/language/golden.h"

#include <gtest/gtest.h>

#include "attend/checkpoint/parameters.h"
#include "attend/core/error.h"
#include "tasks/small_language.h"
#include "tensor/expect_error.h"

namespace attend {
namespace {

Checkpoint small_checkpoint(int context = 8) {
  const LanguageModel model = small_language_model(rhyme_tokenizer(), context);
  Checkpoint checkpoint;
  add_parameters(checkpoint, model.transformer->parameters(), model.transformer->parameters().values());
  describe_language_model(checkpoint, model);
  return checkpoint;
}

TEST(GoldenPassages, AreWhatTheModelStillComputes) {
  Checkpoint checkpoint = small_checkpoint();
  EXPECT_TRUE(golden_passages(checkpoint).empty());
  add_golden_passages(checkpoint);
  const std::vector<GoldenPassage> golden = golden_passages(checkpoint);
  ASSERT_EQ(golden.size(), 3u);
  const LanguageModel model = language_model(checkpoint);
  EXPECT_LT(golden_deviation(model, golden), 1e-6);
  EXPECT_GT(golden_deviation(language_model(small_checkpoint()), {{golden[0].ids, golden[0].log_probability + 1.0f}}), 1e-3);
}

TEST(GoldenPassages, FitIntoAShortContext) {
  Checkpoint checkpoint = small_checkpoint(2);
  add_golden_passages(checkpoint);
  EXPECT_LT(golden_deviation(language_model(checkpoint), golden_passages(checkpoint)), 1e-6);
}

TEST(GoldenPassages, ThatAreDamagedAreNamed) {
  Checkpoint checkpoint = small_checkpoint();
  checkpoint.source = "model";
  checkpoint.metadata["attend.golden"] = "[{\"ids\": 3}]";
  expect_error<DataError>([&] { golden_passages(checkpoint); }, {"model: attend.golden", "expected a list of ids"});
  const LanguageModel model = language_model(checkpoint);
  expect_error<DataError>([&] { golden_deviation(model, {{{3, 99}, 0.0f}}); }, {"attend.golden", "vocabulary"});
  expect_error<DataError>([&] { golden_deviation(model, {{{3}, 0.0f}}); }, {"attend.golden"});
}

}  // namespace
}  // namespace attend
