#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "attend/lab/exercise.h"
#include "attend/lab/experiments.h"
#include "attend/lab/fit.h"
#include "attend/ops/attention/attention_parts.h"

namespace attend::lab {

namespace {

constexpr std::int64_t kKeys = 64;

struct Softmax {
  double variance = 0;  // of the softmax input
  double largest = 0;   // weight of a query, on average
  double gradient = 0;  // Frobenius norm of d softmax(s) / d s, on average
};

double variance_of(std::span<const float> values, double scale) {
  double sum = 0, squares = 0;
  for (const float value : values) sum += value, squares += double{value} * value;
  const auto count = static_cast<double>(values.size());
  return scale * scale * (squares / count - sum / count * (sum / count));
}

// |diag(p) - p p^T|_F^2 = sum p^2 - 2 sum p^3 + (sum p^2)^2
double jacobian_norm(std::span<const float> p) {
  double squares = 0, cubes = 0;
  for (const double w : p) squares += w * w, cubes += w * w * w;
  return std::sqrt(std::max(0.0, squares - 2 * cubes + squares * squares));
}

Softmax softmax_of(const Variable& scores, AttentionLayout layout, float scale) {
  layout.scale = scale;
  const Tensor weights = attention_weights(scores, layout).value().to_host();
  Softmax result;
  result.variance = variance_of(scores.value().to_vector(), scale);
  const std::int64_t queries = weights.size() / kKeys;
  for (std::int64_t q = 0; q < queries; ++q) {
    const auto row =
        std::span<const float>(weights.span()).subspan(static_cast<std::size_t>(q * kKeys), kKeys);
    result.largest += *std::max_element(row.begin(), row.end()) / static_cast<double>(queries);
    result.gradient += jacobian_norm(row) / static_cast<double>(queries);
  }
  return result;
}

// Draws random queries and keys of width d: without the division, and with it.
std::array<Softmax, 2> random_softmaxes(const Lab& lab, std::int64_t queries, std::int64_t d) {
  const NoGradient guard;
  Random random({lab.options.seed, stream_of("lab.temperature") + static_cast<std::uint64_t>(d)});
  const auto offsets = [](std::int64_t n) {
    return Ids(std::vector<std::int32_t>{0, static_cast<std::int32_t>(n)});
  };
  const AttentionLayout layout{offsets(queries), offsets(kKeys)};
  const Variable scores =
      attention_scores(random_normal(random, queries, d), random_normal(random, kKeys, d), layout);
  return {softmax_of(scores, layout, 1.0f),
          softmax_of(scores, layout, 1.0f / std::sqrt(static_cast<float>(d)))};
}

}  // namespace

LabResult run_temperature(const Lab& lab) {
  const auto widths = lab.full_or_quick<std::vector<std::int64_t>>(
      {4, 8, 16, 32, 64, 128, 256, 512, 1024, 2048, 4096}, {4, 64, 1024});
  const std::int64_t queries = lab.full_or_quick<std::int64_t>(2048, 256);
  LabResult result;
  result.measured = fmt::format(
      "Queries and keys with independent standard normal components; {} queries look at {} keys. "
      "The table shows the variance of the softmax input, the mean largest weight of a query, and "
      "the mean Frobenius norm of the softmax Jacobian, which multiplies the gradient of the "
      "scores.",
      queries, kKeys);
  result.table.columns = {"d",        "variance of q.k",         "largest weight",
                          "Jacobian", "variance of q.k/sqrt(d)", "largest weight",
                          "Jacobian"};

  Plot variance{"temperature-variance",
                "Variance of the scores",
                {"width d", AxisScale::log2},
                {"variance", AxisScale::log10},
                {{"q.k", {}}, {"q.k / sqrt(d)", {}}}};
  Plot gradient{"temperature-gradient",
                "Gradient through the softmax",
                {"width d", AxisScale::log2},
                {"norm of its Jacobian", AxisScale::linear},
                {{"q.k", {}}, {"q.k / sqrt(d)", {}}}};
  for (const std::int64_t d : widths) {
    lab.progress(fmt::format("d = {}", d));
    const auto [plain, scaled] = random_softmaxes(lab, queries, d);
    const auto x = static_cast<double>(d);
    variance.series[0].points.emplace_back(x, plain.variance);
    variance.series[1].points.emplace_back(x, scaled.variance);
    gradient.series[0].points.emplace_back(x, plain.gradient);
    gradient.series[1].points.emplace_back(x, scaled.gradient);
    result.table.rows.push_back(
        {fmt::format("{}", d), fmt::format("{:.1f}", plain.variance),
         fmt::format("{:.3f}", plain.largest), fmt::format("{:.4f}", plain.gradient),
         fmt::format("{:.3f}", scaled.variance), fmt::format("{:.3f}", scaled.largest),
         fmt::format("{:.4f}", scaled.gradient)});
  }

  const double growth = power_law_exponent(variance.series[0].points),
               scaled_growth = power_law_exponent(variance.series[1].points);
  const double last_plain = gradient.series[0].points.back().second,
               last_scaled = gradient.series[1].points.back().second;
  const double first_scaled = gradient.series[1].points.front().second;
  const bool as_claimed = std::fabs(growth - 1) < 0.1 && std::fabs(scaled_growth) < 0.1 &&
                          last_plain < 0.5 * last_scaled &&
                          std::fabs(last_scaled / first_scaled - 1) < 0.25;
  result.verdict = as_claimed ? Verdict::confirmed : Verdict::refuted;
  result.finding = fmt::format(
      "The variance grows as d^{:.2f} without the division and as d^{:.2f} with it. At d = {} the "
      "Jacobian has norm {:.3f} without it and {:.3f} with it ({:.3f} at d = {}).",
      growth, scaled_growth, widths.back(), last_plain, last_scaled, first_scaled, widths.front());
  result.plots = {variance, gradient};
  return result;
}

}  // namespace attend::lab
