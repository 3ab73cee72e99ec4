#include "attend/cli/exit_status.h"

#include "cli/small_run.h"

namespace attend {
namespace {

class ExitStatus : public SmallRunTest {};

TEST_F(ExitStatus, IsTwoForWrongUsage) {
  expect_usage_error({}, {"subcommand is required", "attend --help"});
  expect_usage_error({"trnslate"}, {"unknown command trnslate", "did you mean translate"});
  expect_usage_error({"translate"}, {"model is required", "attend translate --help"});
  expect_usage_error({"translate", "model", "--beam-siz", "2"}, {"--beam-siz", "--beam-size"});
  expect_usage_error({"translate", "model", "--beam-size", "0"}, {"--beam-size", "from 1"});
  expect_usage_error({"train", "lm", "--out", path("run")}, {"--train", "got none"});
  expect_usage_error({"average", "model"}, {"--out", "got none"});
}

TEST_F(ExitStatus, IsOneForWhatFails) {
  expect_failure({"translate", path("missing")}, {"missing"});
  expect_failure({"info", write("model", "no model")}, {"model"});
  expect_failure({"train", "lm", "--out", path("run"), "--train", path("missing.txt")},
                 {"missing.txt"});
  expect_failure({"translate", path("missing"), "--config", path("missing.toml")},
                 {"missing.toml"});
}

TEST_F(ExitStatus, IsZeroForSuccessAndForHelp) {
  EXPECT_EQ(run({"--help"}), 0) << error_;
  EXPECT_EQ(run({"translate", "--help"}), 0) << error_;
  EXPECT_EQ(run({"--version"}), 0) << error_;
}

TEST_F(ExitStatus, IsToldByTheHelp) {
  ASSERT_EQ(run({"--help"}), 0) << error_;
  for (const char* part : {"Exit status: 0 success", "1 failure", "2 wrong usage"})
    EXPECT_NE(out_.find(part), std::string::npos) << out_;
}

}  // namespace
}  // namespace attend
