#include <cmath>
#include <nlohmann/json.hpp>
#include <set>

#include "cli/small_run.h"

namespace attend {
namespace {

class TranslateCommand : public SmallRunTest {
 protected:
  void SetUp() override {
    ASSERT_EQ(run(training("run", {"--max-steps", "3", "--save-every", "1", "--valid-every", "0"})),
              0)
        << error_;
  }
  int translate(std::vector<std::string> more, const std::string& input) {
    more.insert(more.begin(), {"translate", model("run"), "--max-length", "6"});
    return run(more, input);
  }
};

std::vector<std::string> lines_of(const std::string& text) {
  std::istringstream stream(text);
  std::vector<std::string> lines;
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

TEST_F(TranslateCommand, AnswersLineByLineInOrder) {
  const std::string valid = read(path("valid.en"));
  ASSERT_EQ(translate({}, valid), 0) << error_;
  const std::vector<std::string> together = lines_of(out_);
  ASSERT_EQ(together.size(), 20u);
  for (const std::vector<std::string>& how : std::vector<std::vector<std::string>>{
           {"--window", "1"}, {"--window", "7"}, {"--batch-size", "3"}, {"--threads", "1"}}) {
    ASSERT_EQ(translate(how, valid), 0) << error_;
    EXPECT_EQ(lines_of(out_), together) << how.front();
  }
}

TEST_F(TranslateCommand, PrintsJsonWithScoresAndTokens) {
  ASSERT_EQ(translate({"--format", "json", "--n-best", "2"}, "The man sleeps.\n\n"), 0) << error_;
  const std::vector<std::string> lines = lines_of(out_);
  ASSERT_EQ(lines.size(), 2u);
  const auto json = nlohmann::json::parse(lines[0]);
  ASSERT_EQ(json["translations"].size(), 2u);
  const auto& best = json["translations"][0];
  EXPECT_GE(best["score"], json["translations"][1]["score"]);
  EXPECT_GE(best["token_log_probabilities"].size(),
            best["tokens"].size());  // one more when it ended before the greatest length
  EXPECT_FALSE(best.contains("alignment"));
  EXPECT_EQ(nlohmann::json::parse(lines[1])["translations"][0]["text"], "");
}

TEST_F(TranslateCommand, PrintsAlignmentsWhenAsked) {
  ASSERT_EQ(translate({"--n-best", "2", "--format", "json", "--alignment"}, "The man sleeps.\n"), 0)
      << error_;
  std::vector<std::string> expected;
  const auto json = nlohmann::json::parse(out_);
  for (const auto& candidate : json["translations"]) {
    std::string pairs;
    for (const auto& pair : candidate.at("alignment")) {
      EXPECT_LT(pair[0], 3);
      pairs += fmt::format(" {}-{}", pair[0].get<int>(), pair[1].get<int>());
    }
    EXPECT_FALSE(pairs.empty());
    expected.push_back(candidate["text"].get<std::string>() + " |||" + pairs);
  }
  ASSERT_EQ(expected.size(), 2u);
  ASSERT_EQ(translate({"--alignment"}, "The man sleeps.\n\n"), 0) << error_;
  EXPECT_EQ(lines_of(out_), (std::vector<std::string>{expected[0], " ||| "}));
  ASSERT_EQ(translate({"--n-best", "2", "--alignment"}, "The man sleeps.\n"), 0) << error_;
  const std::vector<std::string> lines = lines_of(out_);
  ASSERT_EQ(lines.size(), 2u);
  for (const std::size_t i : {0u, 1u})
    EXPECT_TRUE(lines[i].ends_with(expected[i].substr(expected[i].find(" ||| ")))) << lines[i];
}

TEST_F(TranslateCommand, BeginsWithThePrefixOfTheLine) {
  const std::string input = "The man sleeps.\nThe dog runs.\n\nThe cat\n";
  ASSERT_EQ(translate({}, input), 0) << error_;
  const std::vector<std::string> free = lines_of(out_);
  const std::string prefixes = write("prefixes", "Ein\n\nDie\nDie Frau\n");
  ASSERT_EQ(translate({"--prefix", prefixes}, input), 0) << error_;
  const std::vector<std::string> lines = lines_of(out_);
  ASSERT_EQ(lines.size(), 4u);
  EXPECT_TRUE(lines[0].starts_with("Ein")) << lines[0];
  EXPECT_EQ(lines[1], free[1]);
  EXPECT_EQ(lines[2], "");
  EXPECT_TRUE(lines[3].starts_with("Die Frau")) << lines[3];
  ASSERT_EQ(translate({"--prefix", prefixes, "--window", "1"}, input), 0) << error_;
  EXPECT_EQ(lines_of(out_), lines);
}

TEST_F(TranslateCommand, PreparesPrefixesLikeTheInput) {
  const std::string prefixes = write("prefixes", "Die Frau, ein\u2026\n");
  const auto text = [&](std::vector<std::string> flags) {
    flags.insert(flags.end(), {"--max-length", "30", "--format", "json", "--language", "en"});
    flags.insert(flags.end(), {"--prefix", prefixes});
    EXPECT_EQ(translate(flags, "The man sleeps.\n"), 0) << error_;
    return nlohmann::json::parse(out_)["translations"][0]["text"].get<std::string>();
  };
  EXPECT_TRUE(text({"--lowercase", "--normalize-punctuation", "--tgt-language", "de"})
                  .starts_with("die frau, ein..."))
      << out_;
  EXPECT_TRUE(text({"--tokenize", "moses", "--tgt-language", "de", "--no-detokenize"})
                  .starts_with("Die Frau , "));
}

TEST_F(TranslateCommand, RefusesPrefixesThatDoNotFitTheLines) {
  EXPECT_EQ(translate({"--prefix", "-"}, "The man\n"), 2);
  EXPECT_NE(error_.find("--prefix: expected a file"), std::string::npos) << error_;
  EXPECT_EQ(translate({"--prefix", path("none")}, "The man\n"), 1);
  EXPECT_NE(error_.find("none"), std::string::npos) << error_;
  const std::string prefixes = write("prefixes", "Ein\nEin Mann mit einem Hund und einer Frau\n");
  EXPECT_EQ(translate({"--prefix", prefixes}, "The man\n"), 1);
  EXPECT_NE(error_.find("standard input ends at line 1, before " + prefixes), std::string::npos)
      << error_;
  EXPECT_EQ(translate({"--prefix", prefixes, "--on-error", "stop"}, "The man\nThe dog\n"), 1);
  EXPECT_NE(error_.find(prefixes + ":2: a prefix of "), std::string::npos) << error_;
  EXPECT_NE(error_.find("leaves no room in max-length 6"), std::string::npos) << error_;
}

TEST_F(TranslateCommand, KeepsToPhrases) {
  const std::string input = "The man sleeps.\nThe dog runs.\n";
  ASSERT_EQ(translate({"--must-contain", "die Frau", "Hund", "--max-length", "20"}, input), 0)
      << error_;
  for (const std::string& line : lines_of(out_)) {
    EXPECT_NE(line.find("die Frau"), std::string::npos) << line;
    EXPECT_NE(line.find("Hund"), std::string::npos) << line;
  }
  ASSERT_EQ(translate({"--must-contain", "DIE Frau", "--lowercase", "--max-length", "20"}, input),
            0)
      << error_;
  EXPECT_NE(out_.find("die frau"), std::string::npos) << out_;
  ASSERT_EQ(translate({}, input), 0) << error_;
  const std::string first = out_.substr(0, out_.find(' '));
  ASSERT_EQ(translate({"--must-not-contain", first}, input), 0) << error_;
  for (const std::string& line : lines_of(out_)) EXPECT_FALSE(line.starts_with(first)) << line;
  EXPECT_EQ(translate({"--must-contain", "Hund", "--sample"}, input), 2);
  EXPECT_NE(error_.find("--must-contain"), std::string::npos) << error_;
}

// The second model reads what the first one writes, line by line, and whole files.
TEST_F(TranslateCommand, TranslatesTwiceInARow) {
  ASSERT_EQ(run(training("other", {"--max-steps", "10", "--valid-every", "0", "--seed", "2"})), 0);
  const std::string long_line(300, 'x');
  const std::string input = "A dog sleeps.\n\n" + long_line + "\nThe man sees a cat.\n";
  const std::vector<std::string> limit{"--max-source-tokens", "100", "--window", "2"};
  const auto with = [&](std::vector<std::string> arguments) {
    arguments.insert(arguments.end(), limit.begin(), limit.end());
    return arguments;
  };
  ASSERT_EQ(run(with({"translate", model("run")}), input), 0) << error_;
  const std::string between = out_;
  ASSERT_EQ(run(with({"translate", model("other")}), between), 0) << error_;
  const std::string twice = out_;
  ASSERT_EQ(run(with({"translate", model("run"), "--then", model("other")}), input), 0) << error_;
  EXPECT_EQ(out_, twice);
  EXPECT_NE(error_.find("1"), error_.npos) << "one line has no answer";
  ASSERT_EQ(
      run(with({"translate", model("run"), "--then", model("other"), "--format", "json"}), input),
      0);
  EXPECT_EQ(nlohmann::json::parse(out_.substr(0, out_.find('\n'))).at("via"),
            between.substr(0, between.find('\n')));

  write("in.txt", "A dog sleeps.");
  ASSERT_EQ(run({"translate", model("run"), "--then", model("other"), "--file", path("in.txt"),
                 "--out-file", path("out.txt")}),
            0)
      << error_;
  EXPECT_EQ(read(path("out.txt")) + "\n", twice.substr(0, twice.find('\n') + 1));
  EXPECT_EQ(error_.find("flagged"), error_.npos);
  ASSERT_EQ(
      run({"translate", model("run"), "--then", model("other"), "--trust", "--format", "json"},
          "In 1984 a dog sleeps.\n"),
      0)
      << error_;
  EXPECT_TRUE(nlohmann::json::parse(out_).at("translations").at(0).contains("flags")) << out_;
  EXPECT_NE(error_.find(" of 1 translations are flagged"), error_.npos) << error_;
  ASSERT_EQ(run({"translate", model("run"), "--then", model("other"), "--trust", "--text"},
                "In 1984 a dog sleeps."),
            0)
      << error_;
  EXPECT_NE(error_.find(" of 2 translations are flagged"), error_.npos)
      << "those of both models: " << error_;
  expect_usage_error(
      {"translate", model("run"), "--then", model("other"), "--ensemble", model("other")},
      {"--ensemble", "--then"});
  ASSERT_EQ(run(training("context", {"--max-steps", "3", "--valid-every", "0", "--context", "1"})),
            0)
      << error_;
  EXPECT_EQ(run({"translate", model("run"), "--then", model("context")}, input), 2);
  EXPECT_NE(error_.find("--then: expected a model that reads lines without"), error_.npos)
      << error_;
  EXPECT_EQ(run({"translate", model("run"), "--then", model("context"), "--text"}, input), 0)
      << error_;
  EXPECT_EQ(run({"translate", model("run"), "--via", "en"}, input), 2);
  EXPECT_NE(error_.find("--via: expected a multilingual model"), error_.npos) << error_;
}

TEST_F(TranslateCommand, TranslatesThroughALanguageOfTheModel) {
  const std::string languages = path("languages"), source = ATTEND_SOURCE_DIR;
  ASSERT_EQ(run({"import", source + "/tests/interchange/data/models/nllb", "--out", languages}), 0);
  const auto pair = [&](const std::string& from, const std::string& to) {
    return std::vector<std::string>{"translate", languages, "--src-lang", from, "--tgt-lang", to};
  };
  const std::string input = "the dog\na cat\n";
  ASSERT_EQ(run(pair("eng_Latn", "fra_Latn"), input), 0) << error_;
  ASSERT_EQ(run(pair("fra_Latn", "deu_Latn"), out_), 0) << error_;
  const std::string expected = out_;
  std::vector<std::string> through = pair("eng_Latn", "deu_Latn");
  through.insert(through.end(), {"--via", "fra_Latn"});
  ASSERT_EQ(run(through, input), 0) << error_;
  EXPECT_EQ(out_, expected);
}

TEST_F(TranslateCommand, WritesTheSearchForEachLine) {
  const std::string tree = path("tree");
  const std::string input = "The man sleeps.\nThe \xff dog.\n\nThe dog runs.\n";
  ASSERT_EQ(translate({"--beam-tree", tree, "--window", "3"}, input), 0) << error_;
  const std::vector<std::string> texts = lines_of(out_), lines = lines_of(read(tree));
  ASSERT_EQ(lines.size(), 4u);
  for (const std::size_t i : {0u, 3u}) {
    const auto json = nlohmann::json::parse(lines[i]);
    EXPECT_EQ(json["translations"][0]["text"], texts[i]);
    const auto& first = json["steps"].at(0)["candidates"].at(0);
    EXPECT_EQ(first["parent"], 0);
    EXPECT_EQ(first["log_probability"], first["token_log_probability"]);
  }
  EXPECT_TRUE(nlohmann::json::parse(lines[1]).contains("error"));
  EXPECT_TRUE(nlohmann::json::parse(lines[2])["steps"].empty());
  EXPECT_EQ(translate({"--beam-tree", tree, "--sample"}, input), 2);
  EXPECT_NE(error_.find("--beam-tree"), std::string::npos) << error_;
}

TEST_F(TranslateCommand, PrintsTheBestHypothesesNumbered) {
  ASSERT_EQ(translate({"--n-best", "3"}, "The man sleeps.\nThe dog runs.\n"), 0) << error_;
  const std::vector<std::string> lines = lines_of(out_);
  ASSERT_EQ(lines.size(), 6u);
  EXPECT_EQ(lines[0].substr(0, 6), "0 ||| ");
  EXPECT_EQ(lines[5].substr(0, 6), "1 ||| ");
}

TEST_F(TranslateCommand, SearchesAsTheModelWasMadeForUnlessTold) {
  ASSERT_EQ(run(training("own", {"--max-steps", "1", "--valid-every", "0", "--beam-size", "2",
                                 "--length-penalty", "0.5"})),
            0)
      << error_;
  const auto score = [this](std::vector<std::string> flags) {
    flags.insert(flags.begin(),
                 {"translate", model("own"), "--max-length", "6", "--format", "json"});
    EXPECT_EQ(run(flags, "The man sleeps.\n"), 0) << error_;
    const auto best = nlohmann::json::parse(out_)["translations"][0];
    return std::pair(best["score"].get<double>() / best["log_probability"].get<double>(),
                     best["token_log_probabilities"].size());
  };
  const auto [own, own_length] = score({});
  EXPECT_NEAR(own, 1 / std::sqrt(static_cast<double>(own_length)), 1e-5);
  const auto [told, told_length] = score({"--length-penalty", "1", "--beam-size", "1"});
  EXPECT_NEAR(told, 1 / static_cast<double>(told_length), 1e-5);
}

TEST_F(TranslateCommand, SamplesTheSameWithTheSameSeed) {
  ASSERT_EQ(translate({"--sample", "--seed", "3"}, "The man sleeps.\nThe dog runs.\n"), 0)
      << error_;
  const std::string first = out_;
  ASSERT_EQ(translate({"--sample", "--seed", "3"}, "The man sleeps.\nThe dog runs.\n"), 0)
      << error_;
  EXPECT_EQ(out_, first);
  ASSERT_EQ(translate({"--sample", "--seed", "4"}, "The man sleeps.\nThe dog runs.\n"), 0)
      << error_;
  EXPECT_NE(out_, first);
}

TEST_F(TranslateCommand, PrintsSeveralSamplesNumbered) {
  ASSERT_EQ(translate({"--sample", "--n-best", "3"}, "The man sleeps.\nThe dog runs.\n"), 0)
      << error_;
  const std::vector<std::string> lines = lines_of(out_);
  ASSERT_EQ(lines.size(), 6u);
  EXPECT_TRUE(lines[2].starts_with("0 ||| "));
  EXPECT_TRUE(lines[3].starts_with("1 ||| "));
  EXPECT_EQ(std::set<std::string>(lines.begin(), lines.end()).size(), 6u);
  expect_error({"translate", model("run"), "--n-best", "3", "--beam-size", "2"},
               {"n-best", "beam-size 2", "3"}, "The man sleeps.\n");
}

TEST_F(TranslateCommand, ScoresGivenTranslations) {
  ASSERT_EQ(run({"score", model("run"), "--src", path("valid.en"), "--tgt", path("valid.de")}), 0)
      << error_;
  const std::vector<std::string> lines = lines_of(out_);
  ASSERT_EQ(lines.size(), 20u);
  for (const std::string& line : lines) EXPECT_LT(std::stod(line), 0.0);
  expect_error({"score", model("run"), "--src", path("valid.en"), "--tgt", path("train.de")},
               {"valid.en", "train.de"});
}

TEST_F(TranslateCommand, AverageMakesAModelToUse) {
  ASSERT_EQ(run({"average", path("run"), "--last", "2", "--out", path("mean")}), 0) << error_;
  ASSERT_EQ(run({"average", checkpoint("run", 2), checkpoint("run", 3), "--out", path("files")}), 0)
      << error_;
  EXPECT_EQ(read(path("mean")), read(path("files")));
  ASSERT_EQ(run({"translate", path("mean")}, "The man sleeps.\n"), 0) << error_;
  expect_error({"average", path("run"), "--last", "9", "--out", path("mean")}, {"--last", "9"});
  expect_error({"average", path("valid.en"), "--out", path("mean")}, {"valid.en"});
}

TEST_F(TranslateCommand, InfoTellsWhatIsInside) {
  ASSERT_EQ(run({"info", model("run"), "--all"}), 0) << error_;
  for (const char* part : {"d_model = 16", "attend.task = translation", "embedding.weight",
                           "golden translations: as they were"}) {
    EXPECT_NE(out_.find(part), std::string::npos) << part << " is not in\n" << out_;
  }
  ASSERT_EQ(run({"info", model("run"), "--format", "json"}), 0) << error_;
  EXPECT_EQ(nlohmann::json::parse(out_)["metadata"]["attend.task"], "translation");
}

}  // namespace
}  // namespace attend
