#include <nlohmann/json.hpp>

#include "cli/small_run.h"

namespace attend {
namespace {

class CalibrateCommand : public SmallRunTest {
 protected:
  void SetUp() override {
    ASSERT_EQ(run(training("run",
                           {"--max-steps", "60", "--valid-every", "0", "--learning-rate", "1e-2"})),
              0)
        << error_;
  }
  std::vector<std::string> calibrate(const std::vector<std::string>& more = {}) {
    std::vector<std::string> all{"calibrate", model("run"),     "--out", path("made"),
                                 "--src",     path("train.en"), "--tgt", path("train.de")};
    all.insert(all.end(), more.begin(), more.end());
    return all;
  }
  nlohmann::json translated(const std::string& model, const std::string& sentence) {
    EXPECT_EQ(run({"translate", model, "--trust", "--format", "json"}, sentence + "\n"), 0)
        << error_;
    return nlohmann::json::parse(out_)["translations"][0];
  }
};

TEST_F(CalibrateCommand, MakesAModelThatHasConfidence) {
  EXPECT_TRUE(translated(model("run"), "The man sleeps.")["confidence"].is_null());
  EXPECT_NE(error_.find("no confidence without attend calibrate"), std::string::npos) << error_;
  ASSERT_EQ(run(calibrate()), 0) << error_;
  for (const char* words : {"learned from", "confidence", "calibration error", "precision", "any"})
    EXPECT_NE(out_.find(words), std::string::npos) << out_;
  const nlohmann::json judged = translated(path("made"), "The man sleeps.");
  EXPECT_GE(judged["confidence"], 0);
  EXPECT_LE(judged["confidence"], 1);
  EXPECT_NE(error_.find("mean confidence"), std::string::npos) << error_;
  ASSERT_EQ(run({"info", path("made"), "--all"}), 0) << error_;
  EXPECT_EQ(out_.find("DIFFERENT"), std::string::npos) << out_;
  ASSERT_EQ(run({"quantize", path("made"), "--out", path("small")}), 0) << error_;
  EXPECT_TRUE(translated(path("small"), "The man sleeps.")["confidence"].is_number());
}

TEST_F(CalibrateCommand, LeavesTranslationsAsTheyAre) {
  ASSERT_EQ(run(calibrate()), 0) << error_;
  const std::string input = "The man sleeps.\n\nThe dog sees the child.\n";
  ASSERT_EQ(run({"translate", model("run")}, input), 0) << error_;
  const std::string plain = out_;
  ASSERT_EQ(run({"translate", path("made"), "--trust"}, input), 0) << error_;
  EXPECT_EQ(out_, plain);
  EXPECT_NE(error_.find("of 3 translations are flagged"), std::string::npos) << error_;
  ASSERT_EQ(run({"translate", path("made"), "--trust", "--text"}, input), 0) << error_;
  EXPECT_NE(error_.find("of 2 translations are flagged"), std::string::npos) << error_;
}

TEST_F(CalibrateCommand, LetsGivenPairsBeJudged) {
  write("src", "In 1984 he came.\nThe man sleeps.\n");
  write("tgt", "Im Jahr 1948 kam er.\nDer Mann schläft.\n");
  ASSERT_EQ(run({"score", model("run"), "--trust", "--src", path("src"), "--tgt", path("tgt")}), 0)
      << error_;
  EXPECT_NE(out_.find("\t-\tnumbers\n"), std::string::npos) << out_;
  EXPECT_NE(out_.find("\t-\t-\n"), std::string::npos) << out_;
  EXPECT_NE(error_.find("1 of 2 translations are flagged (numbers 1)"), std::string::npos)
      << error_;
}

TEST_F(CalibrateCommand, SaysWhatItNeeds) {
  expect_error({"calibrate", model("run"), "--src", path("train.en"), "--tgt", path("train.de")},
               {"--out"});
  expect_error({"calibrate", model("run"), "--out", path("made")}, {"--src", "--tgt"});
  expect_error({"calibrate", model("run"), "--out", path("made"), "--src", path("valid.en"),
                "--tgt", path("valid.de")},
               {"200 pairs", "20"});
  EXPECT_FALSE(std::filesystem::exists(path("made")));
}

}  // namespace
}  // namespace attend
