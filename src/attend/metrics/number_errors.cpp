#include <fmt/format.h>

#include <numeric>

#include "attend/metrics.h"

namespace attend {

void NumberErrors::add(double gold, double predicted) {
  gold_.push_back(gold);
  predicted_.push_back(predicted);
}

double NumberErrors::mean_squared_error() const {
  double sum = 0;
  for (std::size_t i = 0; i < gold_.size(); ++i)
    sum += (gold_[i] - predicted_[i]) * (gold_[i] - predicted_[i]);
  return gold_.empty() ? 0 : sum / static_cast<double>(gold_.size());
}

double NumberErrors::variance() const {
  if (gold_.empty()) return 0;
  const auto count = static_cast<double>(gold_.size());
  const double mean = std::accumulate(gold_.begin(), gold_.end(), 0.0) / count;
  double sum = 0;
  for (const double number : gold_) sum += (number - mean) * (number - mean);
  return sum / count;
}

std::string NumberErrors::table() const {
  return fmt::format(
      "texts               {}\n"
      "mean squared error  {:.6g} (always the mean: {:.6g})\n"
      "Pearson             {:.4f}\n"
      "Spearman            {:.4f}\n",
      total(), mean_squared_error(), variance(), pearson(), spearman());
}

}  // namespace attend
