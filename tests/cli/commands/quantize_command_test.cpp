#include <cmath>
#include <map>
#include <nlohmann/json.hpp>
#include <regex>

#include "cli/small_run.h"

namespace attend {
namespace {

class QuantizeCommand : public SmallRunTest {
 protected:
  void SetUp() override {
    ASSERT_EQ(run(training("run", {"--max-steps", "240", "--valid-every", "0", "--learning-rate",
                                   "0.02", "--dropout", "0"})),
              0)
        << error_;
  }
  int quantize(std::vector<std::string> more) {
    more.insert(more.begin(), {"quantize", model("run"), "--out", path("small")});
    return run(more);
  }
  int compare(const std::string& tokenize, const std::string& max_drop) {
    return quantize({"--src", path("valid.en"), "--tgt", path("valid.de"), "--tokenize", tokenize,
                     "--max-bleu-drop", max_drop});
  }
  // Before and after, as the last command has printed them.
  std::pair<double, double> bleu() const {
    std::smatch match;
    const bool found = std::regex_search(out_, match, std::regex("BLEU +([0-9.]+) +-> +([0-9.]+)"));
    EXPECT_TRUE(found) << out_;
    return found ? std::pair(std::stod(match[1]), std::stod(match[2])) : std::pair(0.0, 0.0);
  }
  double bleu_of(const std::string& file, const std::string& tokenize) {
    EXPECT_EQ(run({"translate", file}, read(path("valid.en"))), 0) << error_;
    write("translated", out_);
    EXPECT_EQ(run({"evaluate", "--hypotheses", path("translated"), "--references", path("valid.de"),
                   "--tokenize", tokenize, "--no-chrf", "--format", "json"}),
              0)
        << error_;
    return nlohmann::json::parse(out_)["metrics"][0]["score"];
  }
};

TEST_F(QuantizeCommand, MakesASmallerModelForTheSameCommands) {
  ASSERT_EQ(
      quantize({"--src", path("valid.en"), "--tgt", path("valid.de"), "--max-bleu-drop", "100"}), 0)
      << error_;
  for (const char* word : {"BLEU", "speed", "size"})
    EXPECT_NE(out_.find(word), std::string::npos) << out_;
  EXPECT_LT(std::filesystem::file_size(path("small")), std::filesystem::file_size(model("run")));
  ASSERT_EQ(run({"translate", path("small")}, "The man sleeps.\n\n"), 0) << error_;
  EXPECT_EQ(std::count(out_.begin(), out_.end(), '\n'), 2);
  ASSERT_EQ(run({"score", path("small"), "--src", path("valid.en"), "--tgt", path("valid.de")}), 0)
      << error_;
  ASSERT_EQ(run({"info", path("small"), "--all"}), 0) << error_;
  EXPECT_NE(out_.find(" I8 "), std::string::npos) << out_;
  EXPECT_EQ(out_.find("DIFFERENT"), std::string::npos) << out_;
}

TEST_F(QuantizeCommand, HalvesTheFileInSixteenBits) {
  ASSERT_EQ(quantize({"--bits", "16", "--src", path("valid.en"), "--tgt", path("valid.de")}), 0)
      << error_;
  EXPECT_NE(out_.find("the model in 16 bits"), std::string::npos) << out_;
  ASSERT_EQ(run({"translate", path("small")}, "The man sleeps.\n\n"), 0) << error_;
  EXPECT_EQ(std::count(out_.begin(), out_.end(), '\n'), 2);
  ASSERT_EQ(run({"info", path("small"), "--all"}), 0) << error_;
  EXPECT_NE(out_.find(" BF16 "), std::string::npos) << out_;
  EXPECT_NE(out_.find("weights in 16 bits"), std::string::npos) << out_;
  EXPECT_EQ(out_.find("DIFFERENT"), std::string::npos) << out_;
  expect_error({"quantize", path("small"), "--out", path("smaller")}, {"16 bits already"});
  expect_error({"quantize", model("run"), "--out", path("small"), "--bits", "12"},
               {"--bits", "4, 8 or 16", "12"});
}

TEST_F(QuantizeCommand, HalvesTheMatricesOfEightBitsInFour) {
  ASSERT_EQ(quantize({}), 0) << error_;
  EXPECT_NE(out_.find("the model in 8 bits"), std::string::npos) << out_;
  const auto eight = std::filesystem::file_size(path("small"));
  ASSERT_EQ(quantize({"--bits", "4", "--src", path("valid.en"), "--tgt", path("valid.de"),
                      "--max-bleu-drop", "100"}),
            0)
      << error_;
  EXPECT_NE(out_.find("the model in 4 bits"), std::string::npos) << out_;
  EXPECT_NE(out_.find("BLEU"), std::string::npos) << out_;
  EXPECT_LT(std::filesystem::file_size(path("small")), eight);
  ASSERT_EQ(run({"translate", path("small")}, "The man sleeps.\n\n"), 0) << error_;
  EXPECT_EQ(std::count(out_.begin(), out_.end(), '\n'), 2);
  ASSERT_EQ(run({"info", path("small"), "--all"}), 0) << error_;
  EXPECT_NE(out_.find("weights in 4 bits"), std::string::npos) << out_;
  EXPECT_NE(out_.find(".factors"), std::string::npos) << out_;
  EXPECT_EQ(out_.find("DIFFERENT"), std::string::npos) << out_;
  expect_error({"quantize", path("small"), "--out", path("smaller")}, {"4 bits already"});
}

TEST_F(QuantizeCommand, WritesNothingWhenTooMuchIsLost) {
  expect_error({"quantize", model("run"), "--out", path("small"), "--src", path("valid.en"),
                "--tgt", path("valid.de"), "--max-bleu-drop", "-200"},
               {"BLEU", "--max-bleu-drop"});
  EXPECT_FALSE(std::filesystem::exists(path("small")));
}

// As many characters are right as `evaluate` finds in what `translate` says with either model.
TEST_F(QuantizeCommand, MeasuresBothModelsAsAsked) {
  std::map<std::string, std::pair<double, double>> measured;
  for (const std::string tokenize : {"13a", "char"}) {
    ASSERT_EQ(compare(tokenize, "100"), 0) << error_;
    measured[tokenize] = bleu();
    EXPECT_NEAR(measured[tokenize].first, bleu_of(model("run"), tokenize), 0.006) << tokenize;
    EXPECT_NEAR(measured[tokenize].second, bleu_of(path("small"), tokenize), 0.006) << tokenize;
  }
  EXPECT_GT(measured["char"].second, measured["13a"].second + 1);
}

TEST_F(QuantizeCommand, TakesALossUpToTheOneAllowed) {
  ASSERT_EQ(compare("char", "100"), 0) << error_;
  const auto [before, after] = bleu();
  const double lost = before - after;
  ASSERT_GT(std::abs(lost), 0.02) << "a difference is needed: " << out_;
  EXPECT_EQ(compare("char", fmt::format("{}", lost + 0.015)), 0) << error_;
  EXPECT_EQ(compare("char", fmt::format("{}", lost - 0.015)), 1);
  EXPECT_NE(error_.find("--max-bleu-drop"), std::string::npos) << error_;
}

TEST_F(QuantizeCommand, SaysWhatItNeeds) {
  expect_error({"quantize", model("run")}, {"--out"});
  expect_error({"quantize", model("run"), "--out", path("small"), "--src", path("valid.en")},
               {"--src", "--tgt"});
  ASSERT_EQ(quantize({}), 0) << error_;
  expect_error({"quantize", path("small"), "--out", path("smaller")}, {"8 bits already"});
  expect_error({"train", "translation", "--resume", "--out", path("small")}, {"small"});
}

}  // namespace
}  // namespace attend
