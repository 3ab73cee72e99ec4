#include "cli/small_run.h"

namespace attend {
namespace {

class ShortlistCommand : public SmallRunTest {
 protected:
  void SetUp() override {
    ASSERT_EQ(run(training("run",
                           {"--max-steps", "30", "--valid-every", "0", "--learning-rate", "1e-2"})),
              0)
        << error_;
  }
  std::vector<std::string> shortlist(const std::vector<std::string>& more = {}) {
    std::vector<std::string> all{"shortlist", model("run"),     "--out", path("short"),
                                 "--src",     path("train.en"), "--tgt", path("train.de")};
    all.insert(all.end(), more.begin(), more.end());
    return all;
  }
};

TEST_F(ShortlistCommand, MakesAModelThatTranslatesWithItWhenAsked) {
  ASSERT_EQ(run(shortlist({"--translations", "10", "--frequent", "20"})), 0) << error_;
  for (const char* words : {"400 pairs", "tokens on average", "% of the text's tokens"})
    EXPECT_NE(out_.find(words), std::string::npos) << out_;
  ASSERT_EQ(run({"translate", path("short"), "--shortlist"}, "The man sleeps.\n\n"), 0) << error_;
  EXPECT_EQ(std::count(out_.begin(), out_.end(), '\n'), 2);
  ASSERT_EQ(run({"translate", path("short")}, "The man sleeps.\n"), 0) << error_;
  const std::string unrestricted = out_;
  ASSERT_EQ(run({"translate", model("run")}, "The man sleeps.\n"), 0) << error_;
  EXPECT_EQ(out_, unrestricted) << "unless asked, nothing changes";
  ASSERT_EQ(run({"info", path("short"), "--all"}), 0) << error_;
  EXPECT_NE(out_.find("shortlist.translations"), std::string::npos) << out_;
  EXPECT_EQ(out_.find("DIFFERENT"), std::string::npos) << out_;
  ASSERT_EQ(run({"quantize", path("short"), "--out", path("small")}), 0) << error_;
  ASSERT_EQ(run({"translate", path("small"), "--shortlist"}, "The man sleeps.\n"), 0) << error_;
}

TEST_F(ShortlistCommand, SaysWhatItNeeds) {
  expect_error({"translate", model("run"), "--shortlist"}, {"--shortlist", "attend shortlist"},
               "The man sleeps.\n");
  expect_error({"shortlist", model("run"), "--src", path("train.en"), "--tgt", path("train.de")},
               {"--out"});
  expect_error({"shortlist", model("run"), "--out", path("short")}, {"--src", "--tgt"});
  expect_error(shortlist({"--translations", "0"}), {"translations", "0"});
  write("empty", "\n\n");
  expect_error({"shortlist", model("run"), "--out", path("short"), "--src", path("empty"), "--tgt",
                path("empty")},
               {"empty", "0 kept"});
  EXPECT_FALSE(std::filesystem::exists(path("short")));
}

}  // namespace
}  // namespace attend
