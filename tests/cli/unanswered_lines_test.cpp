// What becomes of lines that cannot be answered.
#include "attend/cli/unanswered_lines.h"

#include <nlohmann/json.hpp>

#include "cli/started_program.h"

namespace attend {
namespace {

class Unanswered : public StartedProgramTest {
 protected:
  // Runs a command with --on-error WHAT; expects success and these words in the one line on
  // standard error.
  void expect_answers(std::vector<std::string> command, const std::string& on_error,
                      const std::string& input, const std::string& told) {
    if (!on_error.empty()) command.insert(command.end(), {"--on-error", on_error});
    EXPECT_EQ(run(command, input), 0) << error_;
    EXPECT_EQ(std::count(error_.begin(), error_.end(), '\n'), told.empty() ? 0 : 1) << error_;
    EXPECT_NE(error_.find(told), std::string::npos) << error_;
  }
  std::vector<std::string> lines() const {
    std::vector<std::string> lines;
    std::istringstream stream(out_);
    for (std::string line; std::getline(stream, line);) lines.push_back(line);
    return lines;
  }
};

TEST_F(Unanswered, TextsAreClassifiedAsNothing) {
  train_classifier("cl");
  const std::vector<std::string> classify{"classify", model("cl")};
  expect_answers(classify, "", "good\nbad\n", "");
  const std::vector<std::string> good = lines();
  ASSERT_EQ(good.size(), 2u);
  const std::string why = "standard input:2: expected a text to classify, found none";
  expect_answers(classify, "", "good\n\nbad\n",
                 "attend: 1 of 3 lines could not be answered and was left empty; " + why);
  EXPECT_EQ(lines(), (std::vector<std::string>{good[0], "", good[1]}));
  expect_answers(classify, "skip", "good\n\nbad\n",
                 "1 of 3 lines could not be answered and was skipped; " + why);
  EXPECT_EQ(lines(), good);
  std::vector<std::string> json = classify;
  json.insert(json.end(), {"--format", "json"});
  expect_answers(
      json, "empty", "\n\xff\nbad\n",
      "2 of 3 lines could not be answered and were left empty; the first: standard input:1: ");
  ASSERT_EQ(lines().size(), 3u);
  EXPECT_NE(nlohmann::json::parse(lines()[1])["error"].get<std::string>().find(
                "standard input:2: byte 1"),
            std::string::npos);
  EXPECT_EQ(nlohmann::json::parse(lines()[2]).count("label"), 1u);
  expect_error({"classify", model("cl"), "--on-error", "stop"}, {why}, "good\n\nbad\n");
  EXPECT_EQ(lines(), std::vector<std::string>{good[0]});
  expect_error({"classify", model("cl"), "--on-error", "ignore"},
               {"on-error", "empty, skip, stop"});
}

TEST_F(Unanswered, SentencesAreTranslatedAsNothing) {
  train("mt");
  const std::vector<std::string> translate{"translate", model("mt"),           "--max-length",
                                           "5",         "--max-source-tokens", "30"};
  std::string longer = "The man sleeps.";
  for (int i = 0; i < 30; ++i) longer += " dog";
  const std::string input = "The man sleeps.\n" + longer + "\nThe dog runs.\n";
  expect_answers(translate, "", "The man sleeps.\nThe dog runs.\n", "");
  const std::vector<std::string> good = lines();
  ASSERT_EQ(good.size(), 2u);
  expect_answers(
      translate, "", input,
      "1 of 3 lines could not be answered and was left empty; standard input:2: a sentence of");
  EXPECT_EQ(lines(), (std::vector<std::string>{good[0], "", good[1]}));
  std::vector<std::string> best = translate;
  best.insert(best.end(), {"--beam-size", "2", "--n-best", "2"});
  expect_answers(best, "", input, "left empty");
  ASSERT_EQ(lines().size(), 5u);
  EXPECT_TRUE(lines()[2].starts_with("1 ||| "));
  EXPECT_TRUE(lines()[3].starts_with("2 ||| "));
  expect_answers(best, "skip", input, "skipped");
  ASSERT_EQ(lines().size(), 4u);
  EXPECT_TRUE(lines()[2].starts_with("2 ||| ")) << "the numbers are those of the lines";
  std::vector<std::string> json = translate;
  json.insert(json.end(), {"--format", "json"});
  expect_answers(json, "", input, "left empty");
  EXPECT_NE(nlohmann::json::parse(lines()[1])["error"].get<std::string>().find("max-source-tokens"),
            std::string::npos);
}

TEST_F(Unanswered, SamplesAreThoseOfTheOtherLines) {
  train("mt");
  const std::vector<std::string> sample{"translate", model("mt"), "--sample", "--max-length",
                                        "8",         "--seed",    "3"};
  expect_answers(sample, "", "The man sleeps.\n\nThe dog runs.\n", "");
  const std::vector<std::string> expected = lines();
  expect_answers(sample, "", "The man sleeps.\n\xff\nThe dog runs.\n", "left empty");
  EXPECT_EQ(lines(), expected);
}

TEST_F(Unanswered, PairsAndLinesHaveNoScore) {
  train("mt");
  train_lm("lm");
  const std::string src = write("src", "The man.\n\xff\nThe dog.\nA cat.\n"),
                    tgt = write("tgt", "Der Mann.\nDer.\n\xff\nDie Katze.\n");
  expect_answers({"score", model("mt"), "--src", src, "--tgt", tgt}, "", "",
                 "2 of 4 lines could not be answered and were left empty");
  const std::vector<std::string> all = lines();
  ASSERT_EQ(all.size(), 4u);
  EXPECT_EQ(all[1] + all[2], "");
  expect_answers({"score", model("mt"), "--src", write("s", "The man.\nA cat.\n"), "--tgt",
                  write("t", "Der Mann.\nDie Katze.\n")},
                 "", "", "");
  EXPECT_EQ(lines(), (std::vector<std::string>{all[0], all[3]}));
  expect_error(
      {"score", model("mt"), "--src", write("s", "one\n\xff\n"), "--tgt", write("t", "eins\n")},
      {"ends at line 1"});
  expect_answers({"score", model("lm")}, "", "The man.\n\xff\nA cat.\n",
                 "1 of 3 lines could not be answered and was left empty");
  ASSERT_EQ(lines().size(), 3u);
  EXPECT_EQ(lines()[1], "");
}

TEST_F(Unanswered, TextsHaveVectorsOfNothing) {
  train("mt");
  const std::string input = "\xff\nThe man sleeps.\n";
  expect_answers({"embed", model("mt")}, "", input,
                 "1 of 2 lines could not be answered and was left empty");
  ASSERT_EQ(lines().size(), 2u);
  EXPECT_EQ(nlohmann::json::parse(lines()[0]).count("error"), 1u);
  const auto vector = nlohmann::json::parse(lines()[1])["vector"].get<std::vector<float>>();
  expect_answers({"embed", model("mt"), "--npy", path("v.npy")}, "", input, "left empty");
  const std::string file = read(path("v.npy"));
  EXPECT_NE(file.find(fmt::format("'shape': (2, {})", vector.size())), std::string::npos);
  std::vector<float> values(2 * vector.size());
  std::memcpy(values.data(), file.data() + file.size() - 4 * values.size(), 4 * values.size());
  EXPECT_EQ(std::vector<float>(values.begin(), values.begin() + std::ssize(vector)),
            std::vector<float>(vector.size(), 0.0f));
  EXPECT_EQ(std::vector<float>(values.begin() + std::ssize(vector), values.end()), vector);
}

TEST_F(Unanswered, TheAnswersComeBeforeTheirNumberIsTold) {
  train_classifier("cl");
  ASSERT_EQ(shell("printf 'good\\n\\nbad\\n' | $attend classify cl/model.safetensors 2>&1"), 0);
  ASSERT_EQ(lines().size(), 4u) << out_;
  EXPECT_TRUE(lines()[3].starts_with("attend: 1 of 3 lines")) << out_;
}

}  // namespace
}  // namespace attend
