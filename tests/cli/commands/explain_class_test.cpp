// attend attention CLASSIFIER TEXT --why.
#include <nlohmann/json.hpp>
#include <regex>

#include "cli/commands/classifier_commands.h"
#include "cli/small_run.h"

namespace attend {
namespace {

class WhyAClass : public ClassifierCommands {
 protected:
  void SetUp() override { train(); }
  int why(const std::string& text, const std::vector<std::string>& more = {}) {
    std::vector<std::string> arguments{"attention", model("run"), text,
                                       "--why",     "--out",      path("page.html")};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return run(arguments);
  }
  // What classify says of a text.
  nlohmann::json classified(const std::string& text) {
    EXPECT_EQ(run({"classify", model("run"), "--format", "json"}, text + "\n"), 0) << error_;
    return nlohmann::json::parse(out_)["probabilities"];
  }
};

TEST_F(WhyAClass, IsToldAsTheClassifierSeesTheShortenedText) {
  ASSERT_EQ(why("the story was good", {"--format", "json"}), 0) << error_;
  const nlohmann::json json = nlohmann::json::parse(out_);
  EXPECT_EQ(json["page"], path("page.html"));
  EXPECT_EQ(json["label"], "pos");
  EXPECT_EQ(json["probabilities"], classified("the story was good"));
  EXPECT_EQ(json["probability"], json["probabilities"]["pos"]);
  const std::vector<std::pair<std::string, std::string>> words{{"the", "story was good"},
                                                               {"story", "the was good"},
                                                               {"was", "the story good"},
                                                               {"good", "the story was"}};
  ASSERT_EQ(json["words"].size(), words.size());
  for (std::size_t i = 0; i < words.size(); ++i) {
    const auto& [word, rest] = words[i];
    EXPECT_EQ(json["words"][i]["word"], word);
    EXPECT_EQ(json["words"][i]["probability_without"], classified(rest)["pos"]) << rest;
    EXPECT_NEAR(
        json["words"][i]["change"].get<double>(),
        json["words"][i]["probability_without"].get<double>() - json["probability"].get<double>(),
        1e-6);
  }
  const nlohmann::json& attention = json["attention"];
  EXPECT_EQ(attention["heads"].size(), 1u) << "a layer";
  EXPECT_EQ(attention["nearly_uniform"], attention["entropy"].get<double>() >= 0.9);
}

TEST_F(WhyAClass, IsToldInWords) {
  ASSERT_EQ(why("the story was good"), 0) << error_;
  EXPECT_NE(out_.find("\n\nthe story was good\n\n"), std::string::npos) << out_;
  EXPECT_EQ(out_.find("the story was good"), out_.rfind("the story was good")) << "once";
  EXPECT_EQ(out_.find('\x1b'), std::string::npos) << "no color in a file";
  const std::size_t list = out_.find("probability of pos without a word, and how it changes\n");
  ASSERT_NE(list, std::string::npos) << out_;
  const std::string first = out_.substr(out_.find('\n', list) + 1);
  EXPECT_TRUE(std::regex_search(first, std::regex("^  0\\.\\d{4}  -0\\.\\d{4}  good\n")))
      << "what changes most comes first: " << out_;
  EXPECT_NE(out_.find("tention is "), std::string::npos) << out_;
  EXPECT_NE(read(path("page.html")).find("\"probability_without\":0."), std::string::npos)
      << "for the view of the words";
}

TEST_F(WhyAClass, IsColoredAtATerminal) {
  setenv("TERM", "xterm", 1);
  out_is_terminal_ = true;
  ASSERT_EQ(why("the story was good"), 0) << error_;
  EXPECT_NE(out_.find("\nthe story was \x1b[34mgood\x1b[0m\n"), std::string::npos) << out_;
  setenv("NO_COLOR", "1", 1);
  EXPECT_EQ(why("the story was good"), 0) << error_;
  unsetenv("NO_COLOR");
  EXPECT_EQ(out_.find('\x1b'), std::string::npos) << out_;
}

TEST_F(WhyAClass, OfOneWordIsNotKnown) {
  ASSERT_EQ(why("good"), 0) << error_;
  EXPECT_NE(out_.find("The text has one word: nothing would be left without it."),
            std::string::npos)
      << out_;
  ASSERT_EQ(why("good", {"--format", "json"}), 0) << error_;
  EXPECT_TRUE(nlohmann::json::parse(out_)["words"][0]["change"].is_null()) << out_;
}

TEST_F(WhyAClass, ObeysNothingThatATextSays) {
  ASSERT_EQ(why("good \x1b[31mfilm\x07"), 0) << error_;
  EXPECT_EQ(out_.find('\x1b'), std::string::npos) << out_;
  EXPECT_EQ(out_.find('\x07'), std::string::npos) << out_;
}

TEST_F(WhyAClass, IsRefusedForWhatHasNone) {
  expect_error({"attention", model("run"), " ", "--why", "--out", path("page.html")},
               {"expected some words"});
  std::string text = "word";
  for (int i = 0; i < 1000; ++i) text += " word";
  expect_error({"attention", model("run"), text, "--why", "--out", path("page.html")},
               {"at most 1000 words", "found 1001"});
  EXPECT_FALSE(std::filesystem::exists(path("page.html")));
}

class TranslatorToExplain : public SmallRunTest {};

TEST_F(TranslatorToExplain, HasNoClass) {
  ASSERT_EQ(run(training("run", {"--max-steps", "1", "--valid-every", "0"})), 0) << error_;
  expect_error({"attention", model("run"), "a dog", "--why", "--out", path("page.html")},
               {"--why", "expected a classifier, got a model for translation"});
}

}  // namespace
}  // namespace attend
