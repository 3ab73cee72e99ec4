// Vectors as points of a plane, for people to look at.
#pragma once

#include <utility>
#include <vector>

namespace attend {

// The first two principal components (Pearson 1901) of N vectors of equal width: N points with mean
// 0. Signs make the largest coordinate in each direction positive, the first of those that are
// equally large.
std::vector<std::pair<double, double>> principal_plane(
    const std::vector<std::vector<float>>& vectors);

}  // namespace attend
