// Plots as SVG: lines with markers, points, or groups of bars; axes, ticks, legend; linear or
// logarithmic. Readable on a light and a dark page.
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
  std::vector<std::pair<double, double>> points;  // (x, y); of bars: (number of the category, y)
};

struct Plot {
  std::string name;  // of the file, without ".svg"
  std::string title;
  Axis x;
  Axis y;
  std::vector<Series> series;
  std::vector<std::string> categories = {};  // not empty: bars, one group for each
  bool joined = true;                        // the points of a series, by a line
};

// Points that are not finite, or not positive on a logarithmic axis, are left out.
std::string to_svg(const Plot& plot);

}  // namespace attend
