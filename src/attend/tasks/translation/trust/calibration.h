// How the scores of a model's translations tell their quality, learned from translations with
// references. attend calibrate writes it into the model file, as JSON.
#pragma once

#include <array>
#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "attend/translator.h"

namespace attend {

// What the scores of tokens say: the mean log-probability, e to its power, the lowest
// log-probability, and the logarithm of the number of tokens.
inline constexpr std::size_t kTrustFeatures = 4;
using TrustFeatures = std::array<double, kTrustFeatures>;

// Precondition: there are scores; that of the end is one.
TrustFeatures trust_features(std::span<const float> token_scores);

// How much the source raises the mean log-probability of tokens. Precondition: as many scores with
// the source as without it, and some.
double said_by_source(std::span<const float> with_source, std::span<const float> without_source);

struct TrustCalibration {
  LanguagePair languages = {};  // as options name them
  TrustFeatures weights = {};
  // The chrF, from 0 to 1, that is expected where weights . features is so large: pairs that rise
  // in both, with straight lines between them
  std::vector<std::pair<double, double>> curve = {};
  // Translations of the model with a lower mean log-probability do not translate their sources;
  // nor do texts of others for which said_by_source() is lower
  double detached_below = 0, least_said_by_source = 0;
  std::vector<std::string> names = {};  // as learn_names()

  double expected_chrf(const TrustFeatures& features) const;
};

std::string to_json_text(const TrustCalibration& calibration);
// Throws DataError "<where>: ..." for anything else.
TrustCalibration read_trust_calibration(std::string_view json, std::string_view where);

// Weights and curve for features whose chrF is known: least squares, then a curve that never falls
// (isotonic regression over twentieths of the pairs). Precondition: at least 40 pairs.
TrustCalibration fit_trust(std::span<const TrustFeatures> features, std::span<const double> chrf);

// Lets the curve begin with pairs that do not belong together, whose chrF is known as well.
void extend_curve(TrustCalibration& calibration, std::span<const TrustFeatures> features,
                  std::span<const double> chrf);

}  // namespace attend
