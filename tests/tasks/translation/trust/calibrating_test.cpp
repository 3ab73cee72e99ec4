#include "attend/tasks/translation/trust/calibrating.h"

#include <gtest/gtest.h>

#include <set>

#include "attend/error.h"
#include "core/scoped_threads.h"
#include "tasks/translation/small_translator.h"

namespace attend {
namespace {

using Texts = std::vector<std::string>;

// Different sentences, and what may be said to them.
struct Held {
  Texts sources, references;
};

Held held_out() {
  static const Texts words{"der", "alte", "hund", "sieht", "die", "katze"};
  Held held;
  const Texts drawn = random_sentences(400);
  const std::set<std::string> different(drawn.begin(), drawn.end());
  held.sources.assign(different.begin(), different.end());
  for (std::size_t i = 0; i < held.sources.size(); ++i)
    held.references.push_back(words[i % 6] + " " + words[i / 6 % 6] + " " + words[i / 36 % 6]);
  return held;
}

TEST(CalibrateTrust, LearnsFromOneHalfAndMeasuresTheOther) {
  const Held held = held_out();
  CalibrationReport report;
  const TrustCalibration calibration =
      calibrate_trust(translator(), held.sources, held.references, {.pairs = 240}, report);
  EXPECT_EQ(report.learned_from + report.measured_on, 240u);
  EXPECT_GT(report.learned_from, 60u);
  EXPECT_EQ(report.parts.size(), 10u);
  std::size_t pairs = 0;
  for (const ReliabilityPart& part : report.parts) pairs += part.pairs;
  EXPECT_EQ(pairs, report.measured_on);
  EXPECT_EQ(report.translations.right, report.measured_on);
  EXPECT_GT(report.translations.wrong, report.measured_on / 2);
  EXPECT_FALSE(calibration.curve.empty());
}

TEST(CalibrateTrust, IsTheSameWithAnyNumberOfThreads) {
  const Held held = held_out();
  std::set<std::string> calibrations;
  for (const int threads : {1, 3}) {
    const ScopedThreads scope(threads);
    CalibrationReport report;
    calibrations.insert(to_json_text(
        calibrate_trust(translator(), held.sources, held.references, {.pairs = 200}, report)));
  }
  EXPECT_EQ(calibrations.size(), 1u);
}

TEST(CalibrateTrust, NeedsEnoughText) {
  const Texts few(150, "the dog"), same(300, "the dog");
  CalibrationReport report;
  EXPECT_THROW(calibrate_trust(translator(), few, few, {}, report), DataError);
  EXPECT_THROW(calibrate_trust(translator(), same, same, {}, report), DataError);
}

TEST(FlagMeasureOfPairs, HasPrecisionAndRecall) {
  const FlagMeasure measure{100, 80, {}};
  const FlagCounts flag{"numbers", 1, 20};
  EXPECT_DOUBLE_EQ(FlagMeasure::precision(flag), 20.0 / 21);
  EXPECT_DOUBLE_EQ(measure.recall(flag), 0.25);
}

}  // namespace
}  // namespace attend
