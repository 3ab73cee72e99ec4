#include "attend/lab/experiment.h"
#include "cli/program_test.h"

namespace attend {
namespace {

class LabCommand : public ProgramTest {};

TEST_F(LabCommand, ListsTheExperiments) {
  ASSERT_EQ(run({"lab"}), 0) << error_;
  for (const lab::Experiment& experiment : lab::experiments()) {
    EXPECT_NE(out_.find(experiment.name + "\n"), std::string::npos) << experiment.name;
    EXPECT_NE(out_.find(experiment.claim), std::string::npos) << experiment.name;
  }
}

TEST_F(LabCommand, RunsOneAndPrintsWhatItFound) {
  ASSERT_EQ(run({"lab", "permutation", "--quick"}), 0) << error_;
  for (const char* part : {"measured:", "sinusoidal", "verdict: confirmed"})
    EXPECT_NE(out_.find(part), std::string::npos) << out_;
  EXPECT_TRUE(std::filesystem::is_empty(folder_)) << "nothing is written without --out";
}

TEST_F(LabCommand, WritesPlotsAndAPage) {
  ASSERT_EQ(run({"lab", "permutation", "temperature", "--quick", "--out", path("lab/")}), 0)
      << error_;
  const std::string page = read(path("lab.md"));
  EXPECT_NE(page.find("## permutation"), std::string::npos);
  EXPECT_NE(page.find("`attend lab temperature --seed 1 --threads "), std::string::npos) << page;
  EXPECT_NE(page.find("](lab/temperature-variance.svg)"), std::string::npos);
  EXPECT_TRUE(read(path("lab/temperature-variance.svg")).starts_with("<svg "));
}

TEST_F(LabCommand, RepeatsOneExperimentOfAPage) {
  ASSERT_EQ(run({"lab", "permutation", "temperature", "--quick", "--out", path("lab")}), 0)
      << error_;
  ASSERT_EQ(run({"lab", "permutation", "--seed", "2", "--quick", "--out", path("lab")}), 0)
      << error_;
  const std::string page = read(path("lab.md"));
  EXPECT_NE(page.find("attend lab permutation --seed 2"), std::string::npos);
  EXPECT_NE(page.find("attend lab temperature --seed 1"), std::string::npos);
}

TEST_F(LabCommand, SaysWhatIsWrong) {
  expect_error({"lab", "permutatoin"}, {"permutatoin", "did you mean permutation?"});
  expect_error({"lab", "xyz"}, {"xyz", "attend lab lists them"});
  expect_error({"lab", "permutation", "--all"}, {"--all"});
  write("file", "not a folder\n");
  const std::vector<std::string> unwritable{"lab", "permutation", "--quick", "--out",
                                            path("file") + "/lab"};
  EXPECT_EQ(run(unwritable), 1);
  EXPECT_NE(error_.find(path("file") + "/lab"), std::string::npos) << error_;
  EXPECT_EQ(out_, "") << "nothing was run before";
  expect_error({"lab", "permutation", "--out", path("file")}, {path("file")});
}

}  // namespace
}  // namespace attend
