// Every experiment at its smallest. Verdicts are expected where the claim is exact; elsewhere the
// result has to be whole.
#include <gtest/gtest.h>

#include <set>

#include "attend/error.h"
#include "attend/lab/experiment.h"

namespace attend::lab {
namespace {

LabResult run_quickly(std::string_view name) {
  Lab lab;
  lab.options.quick = true;
  return run_experiment(find_experiment(name), lab);
}

void expect_whole(const std::string& experiment, const LabResult& result) {
  EXPECT_FALSE(result.measured.empty());
  EXPECT_FALSE(result.finding.empty());
  EXPECT_FALSE(result.table.rows.empty());
  for (const auto& row : result.table.rows) EXPECT_EQ(row.size(), result.table.columns.size());
  EXPECT_FALSE(result.plots.empty());
  std::set<std::string> plots;
  for (const Plot& plot : result.plots) {
    EXPECT_TRUE(plots.insert(plot.name).second) << plot.name << " twice";
    EXPECT_TRUE(plot.name == experiment || plot.name.starts_with(experiment + "-"))
        << plot.name << " may be another experiment's";
    EXPECT_FALSE(plot.series.empty()) << plot.name;
    for (const Series& series : plot.series)
      EXPECT_FALSE(series.points.empty()) << plot.name << ": " << series.label;
  }
}

class LabExperiment : public testing::TestWithParam<std::string> {};

TEST_P(LabExperiment, GivesAWholeResult) { expect_whole(GetParam(), run_quickly(GetParam())); }

std::vector<std::string> all_names() {
  std::vector<std::string> names;
  for (const Experiment& experiment : experiments()) names.push_back(experiment.name);
  return names;
}

std::string test_name(const testing::TestParamInfo<std::string>& info) {
  std::string name = info.param;
  for (char& c : name) c = c == '-' ? '_' : c;
  return name;
}

INSTANTIATE_TEST_SUITE_P(All, LabExperiment, testing::ValuesIn(all_names()), test_name);

TEST(LabExperiments, HaveNamesAndPlotsOfTheirOwn) {
  const std::vector<std::string> names = all_names();
  EXPECT_EQ(std::set<std::string>(names.begin(), names.end()).size(), names.size());
  // Plots are named after their experiment (see expect_whole): no two have one name unless one
  // experiment's name begins another's.
  for (const std::string& a : names) {
    for (const std::string& b : names) EXPECT_FALSE(b.starts_with(a + "-")) << a << " and " << b;
  }
}

TEST(LabExperiments, PermutedTokensArePermutedOutputsOnlyWithoutPositions) {
  EXPECT_EQ(run_quickly("permutation").verdict, Verdict::confirmed);
}

TEST(LabExperiments, DividingBySqrtDKeepsTheSoftmaxOpen) {
  EXPECT_EQ(run_quickly("temperature").verdict, Verdict::confirmed);
}

TEST(LabExperiments, MasksLeakNothing) {
  const LabResult result = run_quickly("masks");
  EXPECT_EQ(result.verdict, Verdict::confirmed);
  for (const auto& row : result.table.rows)
    EXPECT_EQ(row[2] == "0", row[0] != "decoder without mask") << row[0] << ": " << row[2];
}

TEST(LabExperiments, HardAttentionSendsNoGradientToQueries) {
  const LabResult result = run_quickly("hard-attention");
  for (const auto& row : result.table.rows)
    EXPECT_EQ(row[1] == "0", row[0] == "hard") << row[0] << ": " << row[1];
}

TEST(LabExperiments, DecideNothingFromTrainingOfSeconds) {
  EXPECT_EQ(run_quickly("heads").verdict, Verdict::unclear);
}

TEST(LabExperiments, RepeatForTheSameSeed) {
  EXPECT_EQ(run_quickly("heads").table.rows, run_quickly("heads").table.rows);
  EXPECT_EQ(run_quickly("temperature").table.rows, run_quickly("temperature").table.rows);
}

TEST(LabExperiments, UnknownNamesAreErrorsThatNameTheNearest) {
  try {
    find_experiment("permutatoin");
    FAIL() << "expected a ConfigError";
  } catch (const ConfigError& error) {
    EXPECT_NE(std::string(error.what()).find("did you mean permutation?"), std::string::npos)
        << error.what();
  }
}

}  // namespace
}  // namespace attend::lab
