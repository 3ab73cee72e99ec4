#include "attend/plot/plot.h"

#include <fmt/format.h>

#include <cmath>

#include "attend/core/strings/html.h"
#include "attend/plot/axis_ticks.h"

namespace attend {

namespace {

constexpr double kWidth = 720, kHeight = 440;
constexpr double kLeft = 78, kRight = 20, kTop = 44, kBottom = 58;
constexpr double kLegendLine = 20;
constexpr double kCharacter = 6.9;  // average letter width at 13 pixels
constexpr int kColors = 6;

// The colors of Okabe and Ito (2008), which most color-blind people can distinguish, adapted to
// light and dark pages. No CSS variables: only browsers know them, and other programs would draw
// everything black.
constexpr const char* kStyle = R"(<style>
.page{fill:#fff}.text{fill:#222;font:13px sans-serif}.title{fill:#222;font:bold 15px sans-serif}
.axis{stroke:#222}.grid{stroke:#ddd}.line{fill:none;stroke-width:2}
.s0 .line{stroke:#0072b2}.s0 .mark{fill:#0072b2}.s1 .line{stroke:#d55e00}.s1 .mark{fill:#d55e00}
.s2 .line{stroke:#008060}.s2 .mark{fill:#008060}.s3 .line{stroke:#b0508a}.s3 .mark{fill:#b0508a}
.s4 .line{stroke:#a87400}.s4 .mark{fill:#a87400}.s5 .line{stroke:#666}.s5 .mark{fill:#666}
@media (prefers-color-scheme:dark){
.page{fill:#16181c}.text,.title{fill:#e6e6e6}.axis{stroke:#e6e6e6}.grid{stroke:#3a3d44}
.s0 .line{stroke:#56b4e9}.s0 .mark{fill:#56b4e9}.s1 .line{stroke:#ff8a3d}.s1 .mark{fill:#ff8a3d}
.s2 .line{stroke:#2fc79a}.s2 .mark{fill:#2fc79a}.s3 .line{stroke:#e39bc6}.s3 .mark{fill:#e39bc6}
.s4 .line{stroke:#f0c14b}.s4 .mark{fill:#f0c14b}.s5 .line{stroke:#aaa}.s5 .mark{fill:#aaa}
}
</style>
)";

std::string text_at(double x, double y, const char* anchor, std::string_view text,
                    const char* style = "text") {
  return fmt::format("<text class=\"{}\" x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"{}\">{}</text>\n",
                     style, x, y, anchor, escaped_html(text));
}

std::string line_at(const char* style, double x1, double y1, double x2, double y2) {
  return fmt::format(
      "<line class=\"{}\" x1=\"{:.1f}\" y1=\"{:.1f}\" x2=\"{:.1f}\" y2=\"{:.1f}\"/>\n", style, x1,
      y1, x2, y2);
}

// A different marker shape per series, so that series do not differ by color alone.
std::string marker(int series, double x, double y) {
  switch (series % 4) {
    case 0:
      return fmt::format("<circle class=\"mark\" cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"4\"/>", x, y);
    case 1:
      return fmt::format(
          "<rect class=\"mark\" x=\"{:.1f}\" y=\"{:.1f}\" width=\"7\" height=\"7\"/>", x - 3.5,
          y - 3.5);
    case 2:
      return fmt::format("<path class=\"mark\" d=\"M{:.1f} {:.1f}l5 8.5h-10z\"/>", x, y - 5);
    default:
      return fmt::format("<path class=\"mark\" d=\"M{:.1f} {:.1f}l5 5l-5 5l-5 -5z\"/>", x, y - 5);
  }
}

std::vector<double> values_of(const Plot& plot, bool of_x) {
  std::vector<double> values;
  for (const Series& series : plot.series) {
    for (const auto& [x, y] : series.points) values.push_back(of_x ? x : y);
  }
  return values;
}

class Drawing {
 public:
  explicit Drawing(const Plot& plot)
      : plot_(plot),
        bars_(!plot.categories.empty()),
        x_(plot.x.scale, values_of(plot, true), false),
        y_(plot.y.scale, values_of(plot, false), bars_) {}

  std::string svg() {
    const std::string legend = draw_legend();
    std::string out = fmt::format(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {0} {1}\" width=\"{0}\" "
        "height=\"{1}\" role=\"img\">\n",
        kWidth, kHeight);
    out += fmt::format("<title>{}</title>\n{}", escaped_html(plot_.title), kStyle);
    out += fmt::format("<rect class=\"page\" width=\"{}\" height=\"{}\" rx=\"6\"/>\n", kWidth,
                       kHeight);
    out += text_at(kWidth / 2, 26, "middle", plot_.title, "title") + legend + draw_axes();
    for (int i = 0; i < static_cast<int>(plot_.series.size()); ++i) {
      out += fmt::format("<g class=\"s{}\">", i % kColors) + (bars_ ? draw_bars(i) : draw_line(i)) +
             "</g>\n";
    }
    return out + "</svg>\n";
  }

 private:
  static double bottom() { return kHeight - kBottom; }
  double left_to_right(double share) const { return kLeft + share * (kWidth - kLeft - kRight); }
  double height_of(double value) const { return bottom() - y_.place(value) * (bottom() - top_); }
  const Series& series(int i) const { return plot_.series[static_cast<std::size_t>(i)]; }

  // Below the title, in as many lines as needed; the plot begins below it.
  std::string draw_legend() {
    std::string out;
    double x = kLeft, y = kTop;
    for (int i = 0; i < static_cast<int>(plot_.series.size()); ++i) {
      const double width = 46 + kCharacter * static_cast<double>(series(i).label.size());
      if (x > kLeft && x + width > kWidth - kRight) x = kLeft, y += kLegendLine;
      out += fmt::format("<g class=\"s{}\">{}{}</g>\n", i % kColors,
                         bars_ || !plot_.joined ? "" : line_at("line", x, y, x + 20, y),
                         marker(i, x + 10, y));
      out += text_at(x + 25, y + 4.5, "start", series(i).label);
      x += width;
    }
    top_ = y + kLegendLine;
    return out;
  }

  std::string draw_axes() const {
    std::string out;
    for (const AxisTicks::Tick& tick : y_.ticks()) {
      const double y = height_of(tick.value);
      out += line_at("grid", kLeft, y, kWidth - kRight, y) +
             text_at(kLeft - 8, y + 4.5, "end", tick.label);
    }
    if (bars_) {
      const auto groups = static_cast<double>(plot_.categories.size());
      for (std::size_t i = 0; i < plot_.categories.size(); ++i)
        out += text_at(left_to_right((static_cast<double>(i) + 0.5) / groups), bottom() + 20,
                       "middle", plot_.categories[i]);
    } else {
      for (const AxisTicks::Tick& tick : x_.ticks()) {
        const double x = left_to_right(x_.place(tick.value));
        out +=
            line_at("grid", x, top_, x, bottom()) + text_at(x, bottom() + 20, "middle", tick.label);
      }
    }
    out += line_at("axis", kLeft, bottom(), kWidth - kRight, bottom()) +
           line_at("axis", kLeft, top_, kLeft, bottom());
    out += text_at(left_to_right(0.5), kHeight - 14, "middle", plot_.x.label);
    const double middle = (top_ + bottom()) / 2;
    return out + fmt::format("<g transform=\"rotate(-90 18 {0:.1f})\">{1}</g>\n", middle,
                             text_at(18, middle + 4, "middle", plot_.y.label));
  }

  std::string draw_line(int i) const {
    std::string path, marks;
    for (const auto& [x, y] : series(i).points) {
      if (!x_.shows(x) || !y_.shows(y)) continue;
      const double at_x = left_to_right(x_.place(x)), at_y = height_of(y);
      path += fmt::format("{}{:.1f} {:.1f}", path.empty() ? "M" : "L", at_x, at_y);
      marks += marker(i, at_x, at_y);
    }
    if (!plot_.joined) return marks;
    const bool many = series(i).points.size() > 40;
    return path.empty() ? ""
                        : fmt::format("<path class=\"line\" d=\"{}\"/>{}", path, many ? "" : marks);
  }

  std::string draw_bars(int i) const {
    const auto groups = static_cast<double>(plot_.categories.size());
    const double group = (kWidth - kLeft - kRight) / groups;
    const double bar = 0.8 * group / static_cast<double>(plot_.series.size());
    std::string out;
    for (const auto& [category, value] : series(i).points) {
      if (!y_.shows(value)) continue;
      const double x = left_to_right((category + 0.1) / groups) + bar * i;
      const double foot = plot_.y.scale == AxisScale::linear ? height_of(0) : bottom();
      const double y = height_of(value), upper = std::fmin(y, foot);
      out += fmt::format(
          "<rect class=\"mark\" x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"{:.1f}\"/>", x,
          upper, bar - 2, std::fabs(foot - y));
      out += text_at(x + bar / 2 - 1, upper - 4, "middle", fmt::format("{:.3g}", value));
    }
    return out;
  }

  const Plot& plot_;
  bool bars_;
  AxisTicks x_, y_;
  double top_ = kTop;
};

}  // namespace

std::string to_svg(const Plot& plot) { return Drawing(plot).svg(); }

}  // namespace attend
