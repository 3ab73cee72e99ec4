#include "attend/plot/plot.h"

#include <gtest/gtest.h>

#include <cmath>

#include "attend/plot/axis_ticks.h"
#include "core/occurrences.h"

namespace attend {
namespace {

std::vector<std::string> labels(const AxisTicks& axis) {
  std::vector<std::string> out;
  for (const AxisTicks::Tick& tick : axis.ticks()) out.push_back(tick.label);
  return out;
}

TEST(AxisTicks, AreRoundNumbers) {
  EXPECT_EQ(labels(AxisTicks(AxisScale::linear, {0.0, 1.0}, false)),
            (std::vector<std::string>{"0", "0.2", "0.4", "0.6", "0.8", "1"}));
  EXPECT_EQ(labels(AxisTicks(AxisScale::log2, {4, 32}, false)),
            (std::vector<std::string>{"4", "8", "16", "32"}));
  EXPECT_EQ(labels(AxisTicks(AxisScale::log10, {1e-6, 1}, false)),
            (std::vector<std::string>{"1e-6", "1e-5", "1e-4", "0.001", "0.01", "0.1", "1"}));
}

TEST(AxisTicks, CoverWhatIsShown) {
  for (const AxisScale scale : {AxisScale::linear, AxisScale::log2, AxisScale::log10}) {
    const AxisTicks axis(scale, {3, 700}, false);
    EXPECT_GE(axis.place(3), 0);
    EXPECT_LE(axis.place(700), 1);
    for (const AxisTicks::Tick& tick : axis.ticks()) {
      EXPECT_GE(axis.place(tick.value), -1e-9);
      EXPECT_LE(axis.place(tick.value), 1 + 1e-9);
    }
  }
}

TEST(AxisTicks, BeginAtZeroWhereThereIsOne) {
  EXPECT_EQ(labels(AxisTicks(AxisScale::linear, {2, 4}, true)).front(), "0");
  const AxisTicks logarithmic(AxisScale::log10, {100, 1000}, true);
  EXPECT_EQ(labels(logarithmic), labels(AxisTicks(AxisScale::log10, {100, 1000}, false)));
  EXPECT_EQ(labels(logarithmic).front(), "100");
}

TEST(AxisTicks, ShowOneValueAndNone) {
  EXPECT_DOUBLE_EQ(AxisTicks(AxisScale::log2, {8}, false).place(8), 0.5);
  EXPECT_FALSE(AxisTicks(AxisScale::linear, {}, false).ticks().empty());
  EXPECT_FALSE(AxisTicks(AxisScale::log10, {0, -1, NAN}, false).shows(0));
}

TEST(Svg, DrawsEveryPointOfALine) {
  const std::string svg = to_svg({"plot", "A plot", {"x"}, {"y"}, {{"line", {{1, 2}, {2, 3}}}}});
  EXPECT_EQ(occurrences(svg, "<circle"), 3u) << "two points, and the legend";
  EXPECT_EQ(occurrences(svg, "<path class=\"line\""), 1u);
}

TEST(Svg, LeavesPointsApart) {
  Plot plot{"p", "P", {"x"}, {"y"}, {{"s", {{1, 2}, {2, 3}}}}};
  plot.joined = false;
  EXPECT_EQ(occurrences(to_svg(plot), "<circle"), 3u) << "two points, and the legend";
  EXPECT_EQ(occurrences(to_svg(plot), "class=\"line\""), 0u);
}

TEST(Svg, LeavesOutWhatCannotBeShown) {
  const Plot plot{"p",
                  "P",
                  {"x", AxisScale::log2},
                  {"y", AxisScale::log10},
                  {{"s", {{1, 0}, {0, 1}, {2, NAN}, {2, INFINITY}, {4, 1}}}}};
  const std::string svg = to_svg(plot);
  EXPECT_EQ(occurrences(svg, "<circle"), 2u) << "one point, and the legend";
  EXPECT_EQ(occurrences(svg, "nan") + occurrences(svg, "inf"), 0u);
}

TEST(Svg, DrawsBarsFromZero) {
  const Plot plot{"p", "P", {"x"}, {"y"}, {{"s", {{0, 50}, {1, 100}}}}, {"one", "two"}};
  const std::string svg = to_svg(plot);
  EXPECT_EQ(occurrences(svg, "<rect class=\"mark\""), 2u);
  EXPECT_NE(svg.find(">one<"), std::string::npos);
  EXPECT_NE(svg.find(">0<"), std::string::npos);
}

// Programs that are no browsers know rules of classes, but no variables: they draw black.
TEST(Svg, HasPlainColors) {
  Plot plot{"p", "P", {"x"}, {"y"}, {}};
  for (int i = 0; i < 6; ++i) plot.series.push_back({"series", {{1, 2}, {2, 3}}});
  const std::string svg = to_svg(plot);
  EXPECT_EQ(occurrences(svg, "var("), 0u);
  EXPECT_EQ(occurrences(svg, "--c"), 0u);
  for (int i = 0; i < 6; ++i) {
    EXPECT_GT(occurrences(svg, "<g class=\"s" + std::to_string(i) + "\">"), 0u);
    for (const char* rule : {" .line{stroke:#", " .mark{fill:#"})
      EXPECT_EQ(occurrences(svg, ".s" + std::to_string(i) + rule), 2u) << "light and dark";
  }
}

TEST(Svg, EscapesText) {
  const Plot plot{"p", "a < b & c", {"x"}, {"y"}, {}};
  EXPECT_NE(to_svg(plot).find("a &lt; b &amp; c"), std::string::npos);
}

}  // namespace
}  // namespace attend
