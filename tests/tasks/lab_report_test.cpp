#include <gtest/gtest.h>

#include <cmath>

#include "attend/tasks/lab/axis_ticks.h"
#include "attend/tasks/lab/fit.h"
#include "attend/tasks/lab/report.h"

namespace attend::lab {
namespace {

std::vector<std::string> labels(const AxisTicks& axis) {
  std::vector<std::string> out;
  for (const AxisTicks::Tick& tick : axis.ticks()) out.push_back(tick.label);
  return out;
}

std::size_t count(const std::string& text, const std::string& part) {
  std::size_t n = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++n;
  return n;
}

LabResult result_with(const std::string& cell, Verdict verdict) {
  LabResult result;
  result.measured = "Something.";
  result.table = {{"a", "b"}, {{cell, "1"}}};
  result.plots.push_back({"plot", "A plot", {"x"}, {"y"}, {{"line", {{1, 2}, {2, 3}}}}});
  result.verdict = verdict;
  result.finding = "Found.";
  return result;
}

TEST(AxisTicks, AreRoundNumbers) {
  EXPECT_EQ(labels(AxisTicks(AxisScale::linear, {0.0, 1.0}, false)), (std::vector<std::string>{"0", "0.2", "0.4", "0.6", "0.8", "1"}));
  EXPECT_EQ(labels(AxisTicks(AxisScale::log2, {4, 32}, false)), (std::vector<std::string>{"4", "8", "16", "32"}));
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

TEST(AxisTicks, ShowOneValueAndNone) {
  EXPECT_DOUBLE_EQ(AxisTicks(AxisScale::log2, {8}, false).place(8), 0.5);
  EXPECT_FALSE(AxisTicks(AxisScale::linear, {}, false).ticks().empty());
  EXPECT_FALSE(AxisTicks(AxisScale::log10, {0, -1, NAN}, false).shows(0));
}

TEST(LabPlot, DrawsEveryPointOfALine) {
  const std::string svg = to_svg(result_with("x", Verdict::confirmed).plots.front());
  EXPECT_EQ(count(svg, "<circle"), 3u) << "two points, and the legend";
  EXPECT_EQ(count(svg, "<path class=\"line\""), 1u);
}

TEST(LabPlot, LeavesOutWhatCannotBeShown) {
  const Plot plot{"p", "P", {"x", AxisScale::log2}, {"y", AxisScale::log10}, {{"s", {{1, 0}, {0, 1}, {2, NAN}, {2, INFINITY}, {4, 1}}}}};
  const std::string svg = to_svg(plot);
  EXPECT_EQ(count(svg, "<circle"), 2u) << "one point, and the legend";
  EXPECT_EQ(count(svg, "nan") + count(svg, "inf"), 0u);
}

TEST(LabPlot, DrawsBarsFromZero) {
  const Plot plot{"p", "P", {"x"}, {"y"}, {{"s", {{0, 50}, {1, 100}}}}, {"one", "two"}};
  const std::string svg = to_svg(plot);
  EXPECT_EQ(count(svg, "<rect class=\"mark\""), 2u);
  EXPECT_NE(svg.find(">one<"), std::string::npos);
  EXPECT_NE(svg.find(">0<"), std::string::npos);
}

TEST(LabPlot, EscapesText) {
  const Plot plot{"p", "a < b & c", {"x"}, {"y"}, {}};
  EXPECT_NE(to_svg(plot).find("a &lt; b &amp; c"), std::string::npos);
}

TEST(LabTable, HasColumnsOfEqualWidth) {
  EXPECT_EQ(to_text(Table{{"n", "größe"}, {{"1000", "ä"}, {"2", "bb"}}}), "  n     größe\n  1000  ä\n  2     bb\n");
}

TEST(LabPage, KeepsSectionsThatAreNotRunAgain) {
  const Experiment& first = experiments()[0];
  const Experiment& second = experiments()[1];
  LabPage page("lab");
  page.set(second, result_with("old", Verdict::confirmed), {});
  page.set(first, result_with("kept", Verdict::unclear), {});
  LabPage again("lab");
  again.read(page.markdown());
  EXPECT_EQ(again.markdown(), page.markdown());
  again.set(second, result_with("new", Verdict::refuted), {});
  const std::string markdown = again.markdown();
  EXPECT_EQ(count(markdown, "kept"), 1u);
  EXPECT_EQ(count(markdown, "| old |"), 0u);
  EXPECT_EQ(count(markdown, "| new |"), 1u);
  EXPECT_LT(markdown.find("kept"), markdown.find("| new |")) << "in the order of the experiments";
  EXPECT_EQ(count(markdown, "**Verdict: refuted.**"), 1u);
}

TEST(LabPage, ForgetsOtherText) {
  LabPage page("lab");
  page.read("Something else\n<!-- experiment ");
  EXPECT_EQ(page.markdown().find("Something else"), std::string::npos);
}

TEST(LabFit, FindsExponents) {
  EXPECT_NEAR(power_law_exponent({{1, 3}, {2, 12}, {4, 48}}), 2, 1e-12);
  EXPECT_EQ(power_law_exponent({{2, 5}}), 0);
}

}  // namespace
}  // namespace attend::lab
