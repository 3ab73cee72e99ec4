// The ticks and the range of an axis.
#pragma once

#include <string>
#include <vector>

#include "attend/plot/plot.h"

namespace attend {

class AxisTicks {
 public:
  // `values` are the data; values the scale cannot show are ignored. Bars begin at zero.
  AxisTicks(AxisScale scale, const std::vector<double>& values, bool from_zero);

  bool shows(double value) const;
  // 0 at the lower end of the axis, 1 at the upper end.
  double place(double value) const;

  struct Tick {
    double value;
    std::string label;
  };
  std::vector<Tick> ticks() const;

 private:
  double transformed(double value) const;
  double untransformed(double value) const;
  std::vector<double> tick_values() const;

  AxisScale scale_;
  double low_ = 0;  // transformed
  double high_ = 1;
};

}  // namespace attend
