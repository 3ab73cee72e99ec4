#include "attend/inspect/words/principal_plane.h"

#include <algorithm>
#include <cmath>

namespace attend {

namespace {

constexpr int kIterations = 200;
constexpr double kEqualCoordinates = 1e-6;  // coordinates closer than rounding error, as a share

double dot(const std::vector<double>& a, const std::vector<double>& b) {
  double sum = 0;
  for (std::size_t d = 0; d < a.size(); ++d) sum += a[d] * b[d];
  return sum;
}

// The first principal direction, by power iteration; zero if there is none.
std::vector<double> main_direction(const std::vector<std::vector<double>>& rows) {
  const std::size_t width = rows.front().size();
  // Begins with a sum of all rows: a single one may be across the direction. The rows sum to 0, and
  // symmetric ones cancel with rational weights.
  std::vector<double> direction(width, 0.0);
  for (std::size_t i = 0; i < rows.size(); ++i)
    for (std::size_t d = 0; d < width; ++d)
      direction[d] += std::sqrt(static_cast<double>(i + 1)) * rows[i][d];
  for (int i = 0; i < kIterations; ++i) {
    std::vector<double> next(width, 0.0);
    for (const auto& row : rows) {
      const double share = dot(row, direction);
      for (std::size_t d = 0; d < width; ++d) next[d] += share * row[d];
    }
    const double length = std::sqrt(dot(next, next));
    if (length < 1e-12) return std::vector<double>(width, 0.0);
    for (std::size_t d = 0; d < width; ++d) direction[d] = next[d] / length;
  }
  return direction;
}

// The coordinates of all rows in the first principal direction, which is then removed from them.
std::vector<double> take_component(std::vector<std::vector<double>>& rows) {
  const std::vector<double> direction = main_direction(rows);
  std::vector<double> coordinates;
  for (auto& row : rows) {
    coordinates.push_back(dot(row, direction));
    for (std::size_t d = 0; d < row.size(); ++d) row[d] -= coordinates.back() * direction[d];
  }
  double largest = 0;
  for (const double c : coordinates) largest = std::max(largest, std::fabs(c));
  const auto farthest = std::find_if(coordinates.begin(), coordinates.end(), [&](double c) {
    return std::fabs(c) >= largest * (1 - kEqualCoordinates);
  });
  if (farthest != coordinates.end() && *farthest < 0) {
    for (double& c : coordinates) c = -c;
  }
  return coordinates;
}

}  // namespace

std::vector<std::pair<double, double>> principal_plane(
    const std::vector<std::vector<float>>& vectors) {
  if (vectors.empty()) return {};
  std::vector<double> mean(vectors.front().size(), 0.0);
  for (const auto& vector : vectors) {
    for (std::size_t d = 0; d < mean.size(); ++d)
      mean[d] += vector[d] / static_cast<double>(vectors.size());
  }
  std::vector<std::vector<double>> rows;
  for (const auto& vector : vectors) {
    rows.emplace_back(vector.begin(), vector.end());
    for (std::size_t d = 0; d < mean.size(); ++d) rows.back()[d] -= mean[d];
  }
  const std::vector<double> x = take_component(rows), y = take_component(rows);
  std::vector<std::pair<double, double>> points;
  for (std::size_t i = 0; i < x.size(); ++i) points.emplace_back(x[i], y[i]);
  return points;
}

}  // namespace attend
