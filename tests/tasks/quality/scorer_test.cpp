#include "attend/tasks/quality/scorer.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <numeric>

#include "attend/checkpoint/checkpoint.h"
#include "attend/error.h"
#include "tasks/small_model.h"
#include "tasks/small_quality.h"
#include "tensor/expect_error.h"

namespace attend {
namespace {

using Lines = std::vector<std::string>;

class QualityScorerTest : public testing::Test {
 protected:
  std::string path_ =
      (std::filesystem::temp_directory_path() / ("scorer" + std::to_string(getpid()))).string();
  void TearDown() override { std::filesystem::remove(path_); }
};

TEST_F(QualityScorerTest, GivesTheScoresOfTheEngineAndTheirMean) {
  save_checkpoint(path_, finished_checkpoint_of(small_quality_model()));
  const QualityScorer scorer = QualityScorer::load(path_, make_runtime({.threads = 2}));
  EXPECT_TRUE(scorer.reads_source());
  EXPECT_TRUE(scorer.reads_reference());
  EXPECT_TRUE(scorer.needs_reference());
  const Lines lines(kScoredTexts.begin(), kScoredTexts.end());
  const QualityScores found = scorer.score(lines, {lines, lines});
  EXPECT_EQ(found.scores, QualityEngine(small_quality_model()).score(lines, {lines, lines}));
  EXPECT_EQ(found.system_score, std::accumulate(found.scores.begin(), found.scores.end(), 0.0) /
                                    static_cast<double>(lines.size()));
  expect_error<ConfigError>([&] { scorer.score({}, {}); }, {"at least one translation"});
  expect_error<ConfigError>([&] { scorer.score(lines, {lines, {}}); }, {"a reference for each"});
  const QualityScorer kiwi = QualityAccess::scorer(
      QualityEngine(small_quality_model(QualityReading::joined, true, false)));
  EXPECT_FALSE(kiwi.reads_reference());
  EXPECT_FALSE(kiwi.needs_reference());
}

TEST_F(QualityScorerTest, ReadsNoOtherModel) {
  save_checkpoint(path_, finished_checkpoint_of(small_model()));
  expect_error<DataError>([&] { QualityScorer::load(path_); },
                          {"expected a model for quality, found one for translation"});
}

}  // namespace
}  // namespace attend
