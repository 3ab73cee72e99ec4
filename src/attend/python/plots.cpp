#include "attend/plot/plot.h"

#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "attend/python/module.h"

namespace nb = nanobind;

namespace attend {

namespace {

using Points = std::vector<std::pair<double, double>>;

std::string line_plot(const std::string& title, const std::string& x, const std::string& y,
                      const std::vector<std::pair<std::string, Points>>& lines) {
  Plot plot{.name = {}, .title = title, .x = {x}, .y = {y}, .series = {}};
  for (const auto& [label, points] : lines) plot.series.push_back({label, points});
  return to_svg(plot);
}

}  // namespace

void add_plots(nb::module_& module) {
  module.def("line_plot", line_plot, nb::arg("title"), nb::arg("x"), nb::arg("y"), nb::arg("lines"),
             "SVG.");
}

}  // namespace attend
