#include "cli/small_run.h"

namespace attend {
namespace {

class QuantizeCommand : public SmallRunTest {
 protected:
  void SetUp() override {
    ASSERT_EQ(run(training("run", {"--max-steps", "30", "--valid-every", "0", "--learning-rate", "1e-2"})), 0) << error_;
  }
  int quantize(std::vector<std::string> more) {
    more.insert(more.begin(), {"quantize", model("run"), "--out", path("small")});
    return run(more);
  }
};

TEST_F(QuantizeCommand, MakesASmallerModelForTheSameCommands) {
  ASSERT_EQ(quantize({"--src", path("valid.en"), "--tgt", path("valid.de"), "--max-bleu-drop", "100"}), 0) << error_;
  for (const char* word : {"BLEU", "speed", "size"}) EXPECT_NE(out_.find(word), std::string::npos) << out_;
  EXPECT_LT(std::filesystem::file_size(path("small")), std::filesystem::file_size(model("run")));
  ASSERT_EQ(run({"translate", path("small")}, "The man sleeps.\n\n"), 0) << error_;
  EXPECT_EQ(std::count(out_.begin(), out_.end(), '\n'), 2);
  ASSERT_EQ(run({"score", path("small"), "--src", path("valid.en"), "--tgt", path("valid.de")}), 0) << error_;
  ASSERT_EQ(run({"info", path("small")}), 0) << error_;
  EXPECT_NE(out_.find(" I8 "), std::string::npos) << out_;
  EXPECT_EQ(out_.find("DIFFERENT"), std::string::npos) << out_;
}

TEST_F(QuantizeCommand, WritesNothingWhenTooMuchIsLost) {
  expect_error(
      {"quantize", model("run"), "--out", path("small"), "--src", path("valid.en"), "--tgt", path("valid.de"), "--max-bleu-drop", "-200"},
      {"BLEU", "--max-bleu-drop"});
  EXPECT_FALSE(std::filesystem::exists(path("small")));
}

TEST_F(QuantizeCommand, SaysWhatItNeeds) {
  expect_error({"quantize", model("run")}, {"--out"});
  expect_error({"quantize", model("run"), "--out", path("small"), "--src", path("valid.en")}, {"--src", "--tgt"});
  ASSERT_EQ(quantize({}), 0) << error_;
  expect_error({"quantize", path("small"), "--out", path("smaller")}, {"8 bits already"});
  expect_error({"train", "translation", "--resume", "--out", path("small")}, {"small"});
}

}  // namespace
}  // namespace attend
