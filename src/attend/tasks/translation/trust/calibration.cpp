#include "attend/tasks/translation/trust/calibration.h"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <numeric>

#include "attend/core/json/json.h"
#include "attend/error.h"

namespace attend {

namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t kPointsOfCurve = 20;

double weighted(const TrustFeatures& weights, const TrustFeatures& features) {
  return std::inner_product(weights.begin(), weights.end(), features.begin(), 0.0);
}

// Solves a system of equations with a positive definite matrix by elimination.
TrustFeatures solve(std::array<TrustFeatures, kTrustFeatures> matrix, TrustFeatures right) {
  for (std::size_t i = 0; i < kTrustFeatures; ++i) {
    for (std::size_t j = i + 1; j < kTrustFeatures; ++j) {
      const double factor = matrix[j][i] / matrix[i][i];
      for (std::size_t k = i; k < kTrustFeatures; ++k) matrix[j][k] -= factor * matrix[i][k];
      right[j] -= factor * right[i];
    }
  }
  for (std::size_t i = kTrustFeatures; i-- > 0;) {
    for (std::size_t k = i + 1; k < kTrustFeatures; ++k) right[i] -= matrix[i][k] * right[k];
    right[i] /= matrix[i][i];
  }
  return right;
}

TrustFeatures mean_of(std::span<const TrustFeatures> features) {
  TrustFeatures mean{};
  for (const TrustFeatures& one : features)
    for (std::size_t i = 0; i < kTrustFeatures; ++i)
      mean[i] += one[i] / static_cast<double>(features.size());
  return mean;
}

// Least squares; the curve has the constant.
TrustFeatures fitted_weights(std::span<const TrustFeatures> features,
                             std::span<const double> chrf) {
  constexpr double kRidge = 1e-3;  // per pair, so that features that never differ have no weight
  const TrustFeatures mean = mean_of(features);
  const double mean_chrf =
      std::accumulate(chrf.begin(), chrf.end(), 0.0) / static_cast<double>(chrf.size());
  std::array<TrustFeatures, kTrustFeatures> matrix{};
  TrustFeatures right{};
  for (std::size_t n = 0; n < features.size(); ++n)
    for (std::size_t i = 0; i < kTrustFeatures; ++i) {
      const double own = features[n][i] - mean[i];
      for (std::size_t j = 0; j < kTrustFeatures; ++j)
        matrix[i][j] += own * (features[n][j] - mean[j]);
      right[i] += own * (chrf[n] - mean_chrf);
    }
  for (std::size_t i = 0; i < kTrustFeatures; ++i)
    matrix[i][i] += kRidge * static_cast<double>(features.size());
  return solve(matrix, right);
}

struct CurvePart {
  double score = 0, chrf = 0, pairs = 0;

  void add(const CurvePart& other) {
    const double all = pairs + other.pairs;
    score = (score * pairs + other.score * other.pairs) / all;
    chrf = (chrf * pairs + other.chrf * other.pairs) / all;
    pairs = all;
  }
};

// Pool adjacent violators (Ayer et al. 1955).
std::vector<CurvePart> rising(std::span<const CurvePart> parts) {
  std::vector<CurvePart> risen;
  for (const CurvePart& part : parts) {
    risen.push_back(part);
    while (risen.size() > 1 && risen.back().chrf <= risen[risen.size() - 2].chrf) {
      risen[risen.size() - 2].add(risen.back());
      risen.pop_back();
    }
  }
  return risen;
}

double finite_member(const Json& json, const char* name, std::string_view where) {
  const Json& value = json_member(json, name, where);
  return json_float(value, where), value.get<double>();
}

std::vector<std::pair<double, double>> read_curve(const Json& json, const std::string& where) {
  std::vector<std::pair<double, double>> curve;
  if (!json.is_array() || json.empty()) throw DataError(where + ": expected pairs of numbers");
  for (const Json& point : json) {
    if (!point.is_array() || point.size() != 2)
      throw DataError(where + ": expected pairs of numbers");
    for (const Json& number : point) json_float(number, where);
    curve.emplace_back(point[0].get<double>(), point[1].get<double>());
    const auto& [score, chrf] = curve.back();
    const bool rises = curve.size() == 1 || (score > curve[curve.size() - 2].first &&
                                             chrf >= curve[curve.size() - 2].second);
    if (!rises || chrf < 0 || chrf > 1)
      throw DataError(where + ": expected scores that rise, with a chrF from 0 to 1 that rises");
  }
  return curve;
}

std::vector<std::string> read_texts(const Json& json, const std::string& where) {
  std::vector<std::string> texts;
  if (!json.is_array()) throw DataError(where + ": expected a list of texts");
  for (const Json& text : json) {
    if (!text.is_string()) throw DataError(where + ": expected a list of texts");
    texts.push_back(text.get<std::string>());
  }
  return texts;
}

}  // namespace

TrustFeatures trust_features(std::span<const float> token_scores) {
  double sum = 0, least = 0;
  for (const float score : token_scores) {
    sum += double{score};
    least = std::min(least, double{score});
  }
  const auto count = static_cast<double>(token_scores.size());
  return {sum / count, std::exp(sum / count), least, std::log(count)};
}

double said_by_source(std::span<const float> with_source, std::span<const float> without_source) {
  return trust_features(with_source)[0] - trust_features(without_source)[0];
}

double TrustCalibration::expected_chrf(const TrustFeatures& features) const {
  const double score = weighted(weights, features);
  if (score <= curve.front().first) return curve.front().second;
  const auto above = std::find_if(curve.begin(), curve.end(),
                                  [&](const auto& point) { return point.first > score; });
  if (above == curve.end()) return curve.back().second;
  const auto& [low, low_chrf] = *(above - 1);
  const auto& [high, high_chrf] = *above;
  return low_chrf + (high_chrf - low_chrf) * (score - low) / (high - low);
}

std::string to_json_text(const TrustCalibration& calibration) {
  const Json json{{"src_lang", calibration.languages.source},
                  {"tgt_lang", calibration.languages.target},
                  {"weights", calibration.weights},
                  {"curve", calibration.curve},
                  {"detached_below", calibration.detached_below},
                  {"least_said_by_source", calibration.least_said_by_source},
                  {"names", calibration.names}};
  return json.dump();
}

TrustCalibration read_trust_calibration(std::string_view text, std::string_view where) {
  const Json json = parse_json(text, where);
  const std::string place(where);
  TrustCalibration calibration;
  const auto languages = read_texts(
      {json_member(json, "src_lang", where), json_member(json, "tgt_lang", where)}, place);
  calibration.languages = {languages[0], languages[1]};
  const Json& weights = json_member(json, "weights", where);
  if (!weights.is_array() || weights.size() != kTrustFeatures)
    throw DataError(place + ": weights: expected four numbers");
  for (std::size_t i = 0; i < kTrustFeatures; ++i) {
    json_float(weights[i], where);
    calibration.weights[i] = weights[i].get<double>();
  }
  calibration.curve = read_curve(json_member(json, "curve", where), place + ": curve");
  calibration.detached_below = finite_member(json, "detached_below", where);
  calibration.least_said_by_source = finite_member(json, "least_said_by_source", where);
  calibration.names = read_texts(json_member(json, "names", where), place + ": names");
  std::sort(calibration.names.begin(), calibration.names.end());
  return calibration;
}

TrustCalibration fit_trust(std::span<const TrustFeatures> features, std::span<const double> chrf) {
  TrustCalibration calibration;
  calibration.weights = fitted_weights(features, chrf);
  std::vector<std::pair<double, double>> pairs;
  for (std::size_t i = 0; i < features.size(); ++i)
    pairs.emplace_back(weighted(calibration.weights, features[i]), chrf[i]);
  std::sort(pairs.begin(), pairs.end());
  std::vector<CurvePart> parts;
  for (std::size_t p = 0; p < kPointsOfCurve; ++p) {
    const std::size_t begin = pairs.size() * p / kPointsOfCurve,
                      end = pairs.size() * (p + 1) / kPointsOfCurve;
    CurvePart part{pairs[begin].first, pairs[begin].second, 1};
    for (std::size_t i = begin + 1; i < end; ++i) part.add({pairs[i].first, pairs[i].second, 1});
    parts.push_back(part);
  }
  for (const CurvePart& part : rising(parts))
    if (calibration.curve.empty() || part.score > calibration.curve.back().first)
      calibration.curve.emplace_back(part.score, std::clamp(part.chrf, 0.0, 1.0));
  return calibration;
}

void extend_curve(TrustCalibration& calibration, std::span<const TrustFeatures> features,
                  std::span<const double> chrf) {
  if (features.empty()) return;
  const double score = weighted(calibration.weights, mean_of(features)),
               mean = std::accumulate(chrf.begin(), chrf.end(), 0.0) /
                      static_cast<double>(chrf.size());
  const auto& [first_score, first_chrf] = calibration.curve.front();
  if (score < first_score && mean < first_chrf)
    calibration.curve.insert(calibration.curve.begin(), {score, std::clamp(mean, 0.0, 1.0)});
}

}  // namespace attend
