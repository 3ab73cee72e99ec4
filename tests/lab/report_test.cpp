#include <gtest/gtest.h>

#include <fstream>
#include <iterator>

#include "attend/lab/fit.h"
#include "attend/lab/report.h"
#include "core/occurrences.h"

namespace attend::lab {
namespace {

LabResult result_with(const std::string& cell, Verdict verdict) {
  LabResult result;
  result.measured = "Something.";
  result.table = {{"a", "b"}, {{cell, "1"}}};
  result.plots.push_back({"plot", "A plot", {"x"}, {"y"}, {{"line", {{1, 2}, {2, 3}}}}});
  result.verdict = verdict;
  result.finding = "Found.";
  return result;
}

TEST(LabTable, HasColumnsOfEqualWidth) {
  EXPECT_EQ(to_text(Table{{"n", "größe"}, {{"1000", "ä"}, {"2", "bb"}}}),
            "  n     größe\n  1000  ä\n  2     bb\n");
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
  EXPECT_EQ(occurrences(markdown, "kept"), 1u);
  EXPECT_EQ(occurrences(markdown, "| old |"), 0u);
  EXPECT_EQ(occurrences(markdown, "| new |"), 1u);
  EXPECT_LT(markdown.find("kept"), markdown.find("| new |")) << "in the order of the experiments";
  EXPECT_EQ(occurrences(markdown, "**Verdict: refuted.**"), 1u);
}

TEST(LabPage, IsTheSameInWhateverOrderItWasMade) {
  const Experiment& first = experiments()[0];
  const Experiment& second = experiments()[1];
  LabPage whole("lab"), begun("lab"), continued("lab");
  for (const Experiment* experiment : {&first, &second})
    whole.set(*experiment, result_with("x", Verdict::confirmed), {});
  begun.set(first, result_with("x", Verdict::confirmed), {});
  continued.read(begun.markdown());
  continued.set(second, result_with("x", Verdict::confirmed), {});
  EXPECT_EQ(continued.markdown(), whole.markdown());
}

TEST(LabPage, ForgetsOtherText) {
  LabPage page("lab");
  page.read("Something else\n<!-- experiment ");
  EXPECT_EQ(page.markdown().find("Something else"), std::string::npos);
}

TEST(LabPage, BeginsAsTheOneInTheDocumentation) {
  std::ifstream stream(std::string(ATTEND_SOURCE_DIR) + "/docs/lab.md", std::ios::binary);
  const std::string committed{std::istreambuf_iterator<char>(stream), {}},
      page = LabPage("lab").markdown();
  const std::string heading = page.substr(0, page.find("| experiment |"));
  EXPECT_TRUE(committed.starts_with(heading)) << heading;
  EXPECT_NE(heading.find("attend lab --all --data DATA --out docs/lab"), std::string::npos)
      << heading;
  EXPECT_NE(heading.find("path-length and architectures"), std::string::npos) << heading;
}

TEST(LabFit, FindsExponents) {
  EXPECT_NEAR(power_law_exponent({{1, 3}, {2, 12}, {4, 48}}), 2, 1e-12);
  EXPECT_EQ(power_law_exponent({{2, 5}}), 0);
}

}  // namespace
}  // namespace attend::lab
