#include <nlohmann/json.hpp>

#include "cli/program_test.h"

namespace attend {
namespace {

class Evaluate : public ProgramTest {
 protected:
  Evaluate() {
    write("hyp", "The cat sat on the mat .\nHello , world !\n");
    write("ref", "The cat sat on the mat .\nHello there , world !\n");
    write("worse", "A dog sat on the mat .\nHi !\n");
  }
  int evaluate(std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), "evaluate");
    return run(arguments);
  }
};

TEST_F(Evaluate, PrintsBleuAndChrf) {
  ASSERT_EQ(evaluate({"--hypotheses", path("hyp"), "--references", path("ref")}), 0) << error_;
  EXPECT_EQ(out_.find("BLEU|nrefs:1|case:mixed|eff:no|tok:13a|smooth:exp|version:attend-"), 0u)
      << out_;
  EXPECT_NE(out_.find("\nchrF2|"), std::string::npos);
}

TEST_F(Evaluate, TakesSeveralReferencesAndOptions) {
  ASSERT_EQ(evaluate({"--hypotheses", path("hyp"), "--references", path("ref"), path("hyp"),
                      "--tokenize", "none", "--lowercase", "--no-chrf"}),
            0);
  EXPECT_EQ(out_.find("BLEU|nrefs:2|case:lc|eff:no|tok:none|"), 0u) << out_;
  EXPECT_NE(out_.find(" = 100.00 "), std::string::npos) << out_;
  EXPECT_EQ(out_.find("chrF"), std::string::npos);
}

TEST_F(Evaluate, ComparesWithABaselineInJson) {
  ASSERT_EQ(evaluate({"--hypotheses", path("hyp"), "--references", path("ref"), "--baseline",
                      path("worse"), "--format", "json"}),
            0)
      << error_;
  const auto json = nlohmann::json::parse(out_);
  EXPECT_EQ(json["segments"], 2);
  EXPECT_EQ(json["metrics"][0]["name"], "BLEU");
  EXPECT_GT(json["metrics"][0]["score"], json["metrics"][0]["baseline"]["score"]);
  EXPECT_TRUE(json["metrics"][0].contains("p_value"));
}

TEST_F(Evaluate, ComparesSeveralSystemsWithABaseline) {
  const std::vector<std::string> systems{"--hypotheses", path("hyp"), path("ref"),
                                         "--references", path("ref"), "--baseline",
                                         path("worse"),  "--no-chrf"};
  ASSERT_EQ(evaluate(systems), 0) << error_;
  EXPECT_NE(out_.find("\n  system 2   100.00 "), std::string::npos) << out_;
  std::vector<std::string> as_json = systems;
  as_json.insert(as_json.end(), {"--format", "json", "--significance", "randomization"});
  ASSERT_EQ(evaluate(as_json), 0) << error_;
  const auto metric = nlohmann::json::parse(out_)["metrics"][0];
  ASSERT_EQ(metric["systems"].size(), 2u) << out_;
  EXPECT_DOUBLE_EQ(metric["systems"][1]["score"], 100);
  EXPECT_TRUE(metric["systems"][1].contains("p_value"));
  EXPECT_FALSE(metric.contains("score"));
  EXPECT_NE(metric["signature"].get<std::string>().find("|ar:10000|"), std::string::npos);
}

TEST_F(Evaluate, RefusesOptionsOfAResamplingThatIsNotDone) {
  const std::vector<std::vector<std::string>> wrong{
      {"--trials", "9"},
      {"--significance", "randomization"},
      {"--trials", "9", "--baseline", path("worse")},
      {"--bootstrap-samples", "9", "--baseline", path("worse"), "--significance", "randomization"},
      {"--hypotheses", path("hyp"), path("worse")}};
  for (const std::vector<std::string>& options : wrong) {
    std::vector<std::string> arguments{"--hypotheses", path("hyp"), "--references", path("ref")};
    arguments.insert(arguments.end(), options.begin(), options.end());
    EXPECT_EQ(evaluate(arguments), kUsageError) << options[0];
    const std::string expected = options[0] == "--hypotheses" ? "--baseline" : options[0];
    EXPECT_EQ(error_.find("attend: " + expected + ": "), 0u) << error_;
  }
}

TEST_F(Evaluate, SaysInOneLineWhatIsWrong) {
  write("pieces", "The cat sat on the mat .\nHel@@ lo\n");
  write("short", "one line\n");
  const std::vector<std::vector<std::string>> wrong{
      {"--hypotheses", path("pieces"), "--references", path("ref")},
      {"--hypotheses", path("short"), "--references", path("ref")},
      {"--hypotheses", path("missing"), "--references", path("ref")},
      {"--hypotheses", path("hyp")},
      {"--references", path("ref")},
      {"--hypothesis", path("hyp"), "--references", path("ref")}};
  const std::vector<std::string> parts{"line 2",       "got 1 and 2",
                                       "missing",      "--references",
                                       "--hypotheses", "did you mean --hypotheses?"};
  for (std::size_t i = 0; i < wrong.size(); ++i) {
    EXPECT_EQ(evaluate(wrong[i]), i < 3 ? kFailure : kUsageError);
    EXPECT_EQ(out_, "");
    EXPECT_NE(error_.find(parts[i]), std::string::npos) << error_;
    EXPECT_EQ(error_.find('\n'), error_.size() - 1) << error_;
  }
}

}  // namespace
}  // namespace attend
