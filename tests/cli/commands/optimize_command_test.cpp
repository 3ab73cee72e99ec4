#include "cli/small_run.h"

namespace attend {
namespace {

class OptimizeCommand : public SmallRunTest {
 protected:
  void SetUp() override {
    ASSERT_EQ(run(training("run", {"--max-steps", "8", "--valid-every", "0"})), 0) << error_;
    ASSERT_EQ(run({"optimize", path("run"), "--out", path("packed")}), 0) << error_;
  }
  std::string translations(const std::string& file) {
    EXPECT_EQ(run({"translate", file, "--max-length", "12"}, read(path("valid.en"))), 0) << error_;
    return out_;
  }
};

TEST_F(OptimizeCommand, WritesTheSameModel) {
  EXPECT_NE(out_.find("packed: the same model"), std::string::npos) << out_;
  EXPECT_EQ(translations(path("packed")), translations(path("run")));
  ASSERT_EQ(run({"info", path("packed")}), 0) << error_;
  EXPECT_NE(out_.find("layout panels-16"), std::string::npos) << out_;
  EXPECT_NE(out_.find("as they were"), std::string::npos) << out_;
  ASSERT_EQ(run({"info", path("run")}), 0) << error_;
  EXPECT_EQ(out_.find("layout"), std::string::npos) << out_;
}

TEST_F(OptimizeCommand, WritesAModelForOtherCommands) {
  ASSERT_EQ(run({"quantize", path("packed"), "--out", path("small")}), 0) << error_;
  ASSERT_EQ(run({"optimize", path("small"), "--out", path("small-packed")}), 0) << error_;
  EXPECT_EQ(translations(path("small-packed")), translations(path("small")));
  ASSERT_EQ(run({"export", path("packed"), "--out", path("foreign")}), 0) << error_;
  ASSERT_EQ(run({"shortlist", path("packed"), "--src", path("train.en"), "--tgt", path("train.de"),
                 "--out", path("short")}),
            0)
      << error_;
  ASSERT_EQ(run({"info", path("packed"), "--set", "name=fast"}), 0) << error_;
  EXPECT_NE(out_.find("name: fast"), std::string::npos) << out_;
  EXPECT_NE(out_.find("layout panels-16"), std::string::npos) << out_;
  ASSERT_EQ(run(training("more", {"--max-steps", "2", "--init-from", path("packed")})), 0)
      << error_;
}

TEST_F(OptimizeCommand, NeedsAFileToWriteAndAModel) {
  expect_error({"optimize", path("run")}, {"--out"});
  write("text", "no model");
  expect_error({"optimize", path("text"), "--out", path("out")}, {"text"});
  EXPECT_FALSE(std::filesystem::exists(path("out")));
}

}  // namespace
}  // namespace attend
