#include "attend/tasks/translation/trust/calibration.h"

#include <gtest/gtest.h>

#include <cmath>

#include "attend/core/random/random.h"
#include "attend/error.h"
#include "attend/tasks/translation/model.h"
#include "tasks/small_model.h"

namespace attend {
namespace {

// Pairs whose chrF is e to the power of the mean log-probability, give or take a little.
TrustCalibration fitted(std::vector<TrustFeatures>& features) {
  Random random({7, 1});
  std::vector<double> chrf;
  for (int i = 0; i < 400; ++i) {
    std::vector<float> scores;
    const auto mean = static_cast<float>(random.below(1000)) / 500;
    for (std::uint64_t left = 2 + random.below(20); left > 0; --left)
      scores.push_back(-mean * static_cast<float>(random.below(1000)) / 500);
    features.push_back(trust_features(scores));
    const double noise = (static_cast<double>(random.below(1000)) - 500) / 5000;
    chrf.push_back(std::clamp(features.back()[1] + noise, 0.0, 1.0));
  }
  return fit_trust(features, chrf);
}

TEST(TrustFeaturesOfScores, AreMeansAndExtremes) {
  const std::vector<float> scores{-1, -3};
  const TrustFeatures features = trust_features(scores);
  EXPECT_DOUBLE_EQ(features[0], -2);
  EXPECT_DOUBLE_EQ(features[1], std::exp(-2.0));
  EXPECT_DOUBLE_EQ(features[2], -3);
  EXPECT_DOUBLE_EQ(features[3], std::log(2.0));
}

TEST(FitTrust, ExpectsWhatWasSeen) {
  std::vector<TrustFeatures> features;
  const TrustCalibration calibration = fitted(features);
  double error = 0;
  for (const TrustFeatures& one : features)
    error += std::abs(calibration.expected_chrf(one) - one[1]) / 400;
  EXPECT_LT(error, 0.05);
  for (std::size_t i = 1; i < calibration.curve.size(); ++i) {
    EXPECT_GT(calibration.curve[i].first, calibration.curve[i - 1].first);
    EXPECT_GT(calibration.curve[i].second, calibration.curve[i - 1].second);
  }
}

TEST(FitTrust, BeginsWithPairsThatDoNotBelongTogether) {
  std::vector<TrustFeatures> features;
  TrustCalibration calibration = fitted(features);
  const std::vector<TrustFeatures> wrong{trust_features(std::vector<float>{-9, -9, -9})};
  const std::vector<double> chrf{0.01};
  extend_curve(calibration, wrong, chrf);
  EXPECT_DOUBLE_EQ(calibration.expected_chrf(wrong.front()), 0.01);
  EXPECT_DOUBLE_EQ(calibration.expected_chrf(trust_features(std::vector<float>{-99})), 0.01);
}

TEST(TrustCalibrationInAModel, IsWrittenAndRead) {
  std::vector<TrustFeatures> features;
  TrustCalibration calibration = fitted(features);
  calibration.languages = {"en", "de"};
  calibration.detached_below = -3.25;
  calibration.least_said_by_source = -4.1;
  calibration.names = {"Anna", "Tom"};
  const Checkpoint checkpoint = with_trust(checkpoint_of(small_model()), calibration);
  const TranslationModel model = translation_model(checkpoint);
  ASSERT_TRUE(model.trust);
  EXPECT_EQ(model.trust->languages.target, "de");
  EXPECT_EQ(model.trust->names, calibration.names);
  EXPECT_EQ(model.trust->detached_below, -3.25);
  EXPECT_EQ(model.trust->least_said_by_source, -4.1);
  for (const TrustFeatures& one : features)
    EXPECT_EQ(model.trust->expected_chrf(one), calibration.expected_chrf(one));
  EXPECT_EQ(model.configuration().at("attend.trust"), checkpoint.text("attend.trust"));
  EXPECT_FALSE(translation_model(checkpoint_of(small_model())).trust);
}

TEST(TrustCalibrationInAModel, IsRefusedIfDamaged) {
  std::vector<TrustFeatures> features;
  const std::string good = to_json_text(fitted(features));
  EXPECT_NO_THROW(read_trust_calibration(good, "file"));
  for (
      const char* bad :
      {"", "{}", "[]",
       R"({"src_lang":"","tgt_lang":"","weights":[1,2,3],"curve":[[0,1]],"detached_below":0,"least_said_by_source":0,"names":[]})",
       R"({"src_lang":"","tgt_lang":"","weights":[1,2,3,4],"curve":[],"detached_below":0,"least_said_by_source":0,"names":[]})",
       R"({"src_lang":"","tgt_lang":"","weights":[1,2,3,4],"curve":[[0,0.5],[0,0.6]],"detached_below":0,"least_said_by_source":0,"names":[]})",
       R"({"src_lang":"","tgt_lang":"","weights":[1,2,3,4],"curve":[[0,2]],"detached_below":0,"least_said_by_source":0,"names":[]})",
       R"({"src_lang":"","tgt_lang":"","weights":[1,2,3,"4"],"curve":[[0,1]],"detached_below":0,"least_said_by_source":0,"names":[]})",
       R"({"src_lang":"","tgt_lang":"","weights":[1,2,3,4],"curve":[[0,1]],"detached_below":0,"least_said_by_source":0,"names":[1]})"})
    EXPECT_THROW(read_trust_calibration(bad, "file"), DataError) << bad;
}

}  // namespace
}  // namespace attend
