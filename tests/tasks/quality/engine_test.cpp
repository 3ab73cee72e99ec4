#include "attend/tasks/quality/engine.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

#include "attend/core/threads/runtime.h"
#include "attend/error.h"
#include "tasks/small_quality.h"
#include "tensor/expect_error.h"

namespace attend {
namespace {

using Lines = std::vector<std::string>;

TEST(QualityEngine, GivesTheSameScoresInAnyCompanyOnAnyThreads) {
  for (const QualityReading reading : {QualityReading::compared, QualityReading::joined}) {
    const QualityEngine engine(small_quality_model(reading));
    Lines translations, sources, references;
    for (std::size_t i = 0; i < 500; ++i) {
      translations.push_back(kScoredTexts[i % kScoredTexts.size()]);
      sources.push_back(kScoredTexts[i % 5]);
      references.push_back(kScoredTexts[i % 4]);
    }
    const std::vector<float> all = engine.score(translations, {sources, references});
    for (const int threads : {1, 3}) {
      const RuntimeScope runtime({.threads = threads});
      EXPECT_EQ(engine.score(translations, {sources, references}), all);
    }
    for (std::size_t i = 0; i < 40; ++i)
      EXPECT_EQ(
          engine.score(std::span(translations).subspan(i, 1),
                       {std::span(sources).subspan(i, 1), std::span(references).subspan(i, 1)}),
          std::vector{all[i]});
    EXPECT_EQ(engine.score({}, {}), std::vector<float>());
  }
}

TEST(QualityEngine, ComparesAllPairsAsItScoresEach) {
  const QualityEngine engine(small_quality_model());
  Lines texts;
  for (int i = 0; i < 37; ++i)  // more pairs than are computed together
    texts.push_back(kScoredTexts[static_cast<std::size_t>(i) % kScoredTexts.size()] + " good" +
                    std::string(static_cast<std::size_t>(i) / 6, 'd'));
  const Lines sources(texts.size(), "not so good");
  const std::vector<double> scores = engine.pair_scores(sources[0], texts);
  ASSERT_EQ(scores.size(), texts.size() * texts.size());
  for (std::size_t r = 0; r < texts.size(); ++r) {
    const std::vector<float> expected =
        engine.score(texts, {sources, Lines(texts.size(), texts[r])});
    for (std::size_t h = 0; h < texts.size(); ++h)
      EXPECT_EQ(scores[r * texts.size() + h], double{expected[h]});
  }
  EXPECT_TRUE(engine.pair_scores("good", {}).empty());
}

TEST(QualityEngine, ScoresMoreLinesThanItKeepsVectorsOf) {
  const QualityEngine engine(small_quality_model());
  Lines lines, sources;
  for (std::size_t i = 0; i < 4200; ++i) {
    lines.push_back(kScoredTexts[i % kScoredTexts.size()]);
    sources.push_back(kScoredTexts[i % 5]);
  }
  const std::vector<float> scores = engine.score(lines, {sources, lines});
  ASSERT_EQ(scores.size(), lines.size());
  const std::size_t period = 5 * kScoredTexts.size();
  for (std::size_t i = period; i < lines.size(); ++i) EXPECT_EQ(scores[i], scores[i - period]);
}

TEST(QualityEngine, NeedsTheTextsThatItReads) {
  const Lines one{"good"}, two{"good", "bad"}, none, bad{"\xff"};
  const QualityEngine engine(small_quality_model());
  expect_error<ConfigError>(
      [&] {
        engine.score(one, {none, one});
      },
      {"expected a source for each of 1 translations, got 0"});
  expect_error<ConfigError>(
      [&] {
        engine.score(one, {one, two});
      },
      {"expected a reference for each of 1 translations, got 2"});
  expect_error<DataError>([&] { engine.score(bad, {one, one}); }, {"translation 1", "UTF-8"});
  const QualityEngine joined(small_quality_model(QualityReading::joined));
  EXPECT_NE(joined.score(one, {one, none}), joined.score(one, {one, one}));
  expect_error<ConfigError>([&] { joined.score(one, {one, two}); }, {"reference"});
}

// Seen by the old vectors that are left when the weights change.
TEST(QualityMetric, EncodesSourcesAndReferencesOnceForAllSystems) {
  const QualityModel model = small_quality_model();
  const QualityEngine engine(model);
  const Lines lines(kScoredTexts.begin(), kScoredTexts.end());
  const ReportedMetric before = quality_metric(engine, "model", {lines, lines}, {});
  EXPECT_EQ(before.count(lines).sum(), before.count(lines).sum());
  for (const ParameterSet::Entry& entry : model.parameters().entries())
    if (entry.name.find("embed") != entry.name.npos)
      for (float& weight : model.parameters().value(entry).span()) weight *= -2;
  const ReportedMetric after = quality_metric(engine, "model", {lines, lines}, {});
  EXPECT_NE(before.count(lines).sum(), after.count(lines).sum());
}

TEST(QualityMetric, IsTheMeanOfTheScoresOfStrippedLines) {
  const QualityEngine engine(small_quality_model());
  const Lines lines(kScoredTexts.begin(), kScoredTexts.end());
  const std::vector<float> scores = engine.score(lines, {lines, lines});
  Lines padded;
  for (const std::string& line : lines) padded.push_back(" \t" + line + "\xc2\xa0 ");
  EXPECT_EQ(engine.score_lines(padded, {padded, padded}), scores);
  const ReportedMetric metric = quality_metric(engine, "model", {padded, padded}, {});
  const double mean =
      std::accumulate(scores.begin(), scores.end(), 0.0) / static_cast<double>(scores.size());
  EXPECT_NEAR(metric.score(metric.count(padded).sum()), mean, 1e-8);
  EXPECT_EQ(metric.name, "COMET");
  EXPECT_EQ(metric.signature.find("nrefs:1|src:yes|model:model|version:attend-"), 0u)
      << metric.signature;
  EXPECT_FALSE(metric.less_is_better);
  EXPECT_EQ(metric.more_digits, 2);
  QualityModel large = small_quality_model();
  for (const ParameterSet::Entry& entry : large.parameters().entries())
    if (entry.name == "estimator.2.bias")
      large.parameters().value(entry).copy_from(Tensor::from(std::vector{2e3f}, {1}));
  expect_error<DataError>(
      [&] {
        quality_metric(QualityEngine(large), "m", {lines, lines}, {}).count(lines);
      },
      {"up to 1024"});
  const QualityEngine without(small_quality_model(QualityReading::compared, true, false));
  EXPECT_EQ(quality_metric(without, "m", {lines, {}}, {.bootstrap = 9})
                .signature.find("nrefs:0|bs:9|seed:12345|src:yes|model:m|"),
            0u);
}

}  // namespace
}  // namespace attend
