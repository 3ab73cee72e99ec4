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
