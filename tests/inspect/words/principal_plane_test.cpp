#include "attend/inspect/words/principal_plane.h"

#include <gtest/gtest.h>

#include <cmath>

namespace attend {
namespace {

TEST(PrincipalPlane, TurnsPointsOfAPlaneIntoIt) {
  // Points a (3,4,0)/5 + b (0,0,1), shifted: the distances and the order of the variances are kept.
  const std::vector<std::pair<double, double>> plane{{4, 1}, {-4, 1}, {3, -1}, {-3, -1}};
  std::vector<std::vector<float>> vectors;
  for (const auto& [a, b] : plane)
    vectors.push_back({static_cast<float>(0.6 * a + 7), static_cast<float>(0.8 * a - 2),
                       static_cast<float>(b + 1)});
  const auto points = principal_plane(vectors);
  ASSERT_EQ(points.size(), plane.size());
  for (std::size_t i = 0; i < plane.size(); ++i) {
    EXPECT_NEAR(std::fabs(points[i].first), std::fabs(plane[i].first), 1e-3);
    EXPECT_NEAR(std::fabs(points[i].second), std::fabs(plane[i].second), 1e-3);
  }
}

TEST(PrincipalPlane, IsThatOfThePointsByHand) {
  // The mean is (2, 1, 5). What remains is x: -3, 3, -1, 1; y: 0, 0, 2, -2 and z: 0, so the
  // variances are 20 in x and 8 in y, and their covariance is -4: the matrix (20 -4; -4 8) has the
  // eigenvalues 14 +- sqrt(52).
  const auto points = principal_plane({{-1, 1, 5}, {5, 1, 5}, {1, 3, 5}, {3, -1, 5}});
  const double eigenvalue = 14 + std::sqrt(52.0);
  // The eigenvector of the first is (4, 20 - eigenvalue), divided by its length.
  const double length = std::hypot(4.0, eigenvalue - 20), ex = 4 / length,
               ey = (20 - eigenvalue) / length;
  const std::vector<std::pair<double, double>> rest{{-3, 0}, {3, 0}, {-1, 2}, {1, -2}};
  double first = 0, second = 0;
  for (std::size_t i = 0; i < rest.size(); ++i) {
    const auto [x, y] = rest[i];
    // The first point is one of the two farthest in the first direction, the third in the second.
    EXPECT_NEAR(points[i].first, -(ex * x + ey * y), 1e-6) << i;
    EXPECT_NEAR(points[i].second, ex * y - ey * x, 1e-6) << i;
    first += points[i].first * points[i].first;
    second += points[i].second * points[i].second;
  }
  EXPECT_NEAR(first, 14 + std::sqrt(52.0), 1e-6);
  EXPECT_NEAR(second, 14 - std::sqrt(52.0), 1e-6);
}

TEST(PrincipalPlane, TakesTheFirstOfTwoOppositePointsAsPositive) {
  for (const float shift : {0.0f, 0.1f, 7.3f}) {
    const auto points = principal_plane({{-1 + shift, 2}, {1 + shift, -2}});
    EXPECT_NEAR(points[0].first, std::sqrt(5.0), 1e-5);
    EXPECT_NEAR(points[1].first, -std::sqrt(5.0), 1e-5);
  }
}

TEST(PrincipalPlane, IsNotMisledByALongVectorAcross) {
  // Most variance is in x, the longest vector is in y.
  const auto points = principal_plane({{3, 0}, {-3, 0}, {3, 0}, {-3, 0}, {0, 3.5f}, {0, -3.5f}});
  EXPECT_NEAR(points[0].first, 3.0, 1e-6);
  EXPECT_NEAR(points[4].first, 0.0, 1e-6);
  EXPECT_NEAR(points[4].second, 3.5, 1e-6);
}

TEST(PrincipalPlane, OfEqualPointsIsAPoint) {
  for (const auto& [x, y] : principal_plane({{1.0f, 2.0f}, {1.0f, 2.0f}, {1.0f, 2.0f}})) {
    EXPECT_NEAR(x, 0.0, 1e-9);
    EXPECT_NEAR(y, 0.0, 1e-9);
  }
  EXPECT_TRUE(principal_plane({}).empty());
}

}  // namespace
}  // namespace attend
