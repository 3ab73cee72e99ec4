#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "attend/error.h"
#include "attend/metrics.h"

namespace attend {

Reliability::Reliability(int bins) {
  if (bins < 1) throw ConfigError(fmt::format("expected 1 or more bins, got {}", bins));
  for (int i = 0; i < bins; ++i)
    sums_.push_back({static_cast<double>(i) / bins, static_cast<double>(i + 1) / bins, 0, 0, 0});
}

void Reliability::add(double probability, bool right) {
  if (!(probability >= 0 && probability <= 1))
    throw DataError(fmt::format("expected a probability in 0 .. 1, got {}", probability));
  const auto bin = std::find_if(sums_.begin(), sums_.end() - 1,
                                [&](const Bin& one) { return probability <= one.high; });
  ++bin->predictions;
  bin->probability += probability;
  bin->accuracy += right;
}

std::int64_t Reliability::total() const {
  std::int64_t count = 0;
  for (const Bin& bin : sums_) count += bin.predictions;
  return count;
}

std::vector<Reliability::Bin> Reliability::bins() const {
  std::vector<Bin> means = sums_;
  for (Bin& bin : means) {
    if (bin.predictions == 0) continue;
    bin.probability /= static_cast<double>(bin.predictions);
    bin.accuracy /= static_cast<double>(bin.predictions);
  }
  return means;
}

double Reliability::expected_error() const {
  double sum = 0;
  for (const Bin& bin : sums_) sum += std::abs(bin.accuracy - bin.probability);
  return total() == 0 ? 0 : sum / static_cast<double>(total());
}

double Reliability::largest_error() const {
  double largest = 0;
  for (const Bin& bin : bins())
    largest = std::max(largest, std::abs(bin.accuracy - bin.probability));
  return largest;
}

std::string Reliability::table() const {
  std::string text = "probability  predictions     mean  accuracy\n";
  for (const Bin& bin : bins())
    if (bin.predictions > 0)
      text += fmt::format("{:11}  {:11}  {:7.4f}  {:8.4f}\n",
                          fmt::format("{:.2f}-{:.2f}", bin.low, bin.high), bin.predictions,
                          bin.probability, bin.accuracy);
  return text + fmt::format("expected calibration error {:.4f}, largest {:.4f}\n", expected_error(),
                            largest_error());
}

}  // namespace attend
