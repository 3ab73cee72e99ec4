// SVG plots: lines with markers, points, or groups of bars; axes, ticks, legend; linear or
// logarithmic. Readable on light and dark pages.
#pragma once

#include <string>
#include <utility>
#include <vector>

namespace attend {

enum class AxisScale { linear, log2, log10 };

struct Axis {
  std::string label;
  AxisScale scale = AxisScale::linear;
};

struct Series {
  std::string label;
  std::vector<std::pair<double, double>> points;  // (x, y); for bars: (category index, y)
};

struct Plot {
  std::string name;  // file name without ".svg"
  std::string title;
  Axis x;
  Axis y;
  std::vector<Series> series;
  std::vector<std::string> categories = {};  // if not empty: bars, one group per category
  bool joined = true;                        // connect the points of a series by a line
};

// Skips points that are not finite, or not positive on a logarithmic axis.
std::string to_svg(const Plot& plot);

}  // namespace attend
