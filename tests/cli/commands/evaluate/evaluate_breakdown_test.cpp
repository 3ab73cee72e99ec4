#include <nlohmann/json.hpp>

#include "cli/program_test.h"

namespace attend {
namespace {

class EvaluateBreakdown : public ProgramTest {
 protected:
  EvaluateBreakdown() {
    write("src", "Anna kam 1984 nicht.\nDer Hund schläft.\nDas ist gut.\n");
    write("ref", "Anna did not come in 1984.\nThe dog sleeps.\nThat is good.\n");
    write("hyp", "Anna came in 1985.\nThe dog sleeps.\nThat is the dog the dog the dog the dog.\n");
    write("old", "Anna did not come in 1984.\nThe cat sleeps.\nGood.\n");
    write("train", "the dog\nthat is good\n");
  }
  int evaluate(std::vector<std::string> options) {
    options.insert(options.begin(),
                   {"evaluate", "--hypotheses", path("hyp"), "--references", path("ref")});
    return run(options);
  }
  const std::vector<std::string> breakdown_{
      "--breakdown", "--sources",  path("src"), "--src-lang",
      "de",          "--tgt-lang", "en",        "--training-text"};
  std::vector<std::string> with(std::vector<std::string> more) const {
    more.insert(more.begin(), path("train"));
    more.insert(more.begin(), breakdown_.begin(), breakdown_.end());
    return more;
  }
};

TEST_F(EvaluateBreakdown, PrintsTablesAfterTheScores) {
  ASSERT_EQ(evaluate(with({})), 0) << error_;
  EXPECT_EQ(out_.find("BLEU|"), 0u) << out_;
  for (const char* part : {"\n\nwords of the source    lines      BLEU     chrF2\n0-10 ",
                           "\nrarest word, times in training ", "\nwords by times in training ",
                           "\nnumbers                             1    0.0000         -\n",
                           "\nnegated            1         1\n", "\nnegation lost: line 1\n",
                           "\nrepetition: line 3\n", "\nnumbers: line 1\n"})
    EXPECT_NE(out_.find(part), std::string::npos) << part << "\n" << out_;
}

TEST_F(EvaluateBreakdown, PutsTheBaselineFirst) {
  ASSERT_EQ(evaluate(with({"--baseline", path("old"), "--bootstrap-samples", "9"})), 0) << error_;
  EXPECT_LT(out_.find("  " + path("old") + "  " + path("hyp") + "\n"), out_.size()) << out_;
}

TEST_F(EvaluateBreakdown, CountsLinesFromOneInJson) {
  ASSERT_EQ(evaluate(with({"--format", "json", "--worst", "2"})), 0) << error_;
  const auto json = nlohmann::json::parse(out_);
  const auto& breakdown = json["breakdown"][0];
  EXPECT_EQ(breakdown["system"], path("hyp"));
  EXPECT_EQ(breakdown["source_lengths"][0]["lines"], 3);
  EXPECT_DOUBLE_EQ(breakdown["source_lengths"][0]["BLEU"], json["metrics"][0]["score"]);
  EXPECT_EQ(breakdown["rarest_words"][0]["times"], "0");
  EXPECT_EQ(breakdown["word_frequencies"].size(), 5u);
  EXPECT_EQ(breakdown["copied"][1]["both"], 1) << "Anna";
  EXPECT_EQ(breakdown["negation"]["lost"], std::vector<int>{1});
  EXPECT_EQ(breakdown["flags"]["repetition"], std::vector<int>{3});
  ASSERT_EQ(json["worst"][0]["lines"].size(), 2u);
  EXPECT_EQ(json["worst"][0]["lines"][1]["source"],
            json["worst"][0]["lines"][1]["line"] == 1 ? "Anna kam 1984 nicht." : "Das ist gut.");
}

TEST_F(EvaluateBreakdown, ShowsTheWorstLines) {
  ASSERT_EQ(evaluate({"--worst", "1", "--baseline", path("old"), "--sources", path("src"),
                      "--bootstrap-samples", "9"}),
            0)
      << error_;
  EXPECT_NE(out_.find("\nlowest chrF of " + path("old") + "\nline 3: "), std::string::npos) << out_;
  EXPECT_NE(out_.find("\n  source       Das ist gut.\n  reference    That is good.\n"
                      "  translation  Good.\n"),
            std::string::npos)
      << out_;
  EXPECT_EQ(out_.find("words of the source"), std::string::npos);
  ASSERT_EQ(evaluate({"--worst", "3"}), 0) << error_;
  EXPECT_EQ(out_.find("  source "), std::string::npos);
  EXPECT_NE(out_.find("  translation  The dog sleeps.\n"), std::string::npos);
}

TEST_F(EvaluateBreakdown, NamesTheLanguageWithoutNegationWords) {
  const std::vector<std::string> czech{"--breakdown", "--sources",  path("src"), "--src-lang",
                                       "de",          "--tgt-lang", "cs"};
  ASSERT_EQ(evaluate(czech), 0) << error_;
  EXPECT_NE(out_.find("\nnegation is left out: there is no list of its words for cs\n"),
            std::string::npos)
      << out_;
  ASSERT_EQ(evaluate({"--breakdown", "--sources", path("src")}), 0) << error_;
  EXPECT_EQ(out_.find("negation"), std::string::npos) << out_;
}

TEST_F(EvaluateBreakdown, TakesSubwordsWhereTheScoresDo) {
  write("hyp", "An@@ na\nx\ny\n");
  EXPECT_EQ(evaluate(with({"--worst", "1"})), kFailure);
  EXPECT_EQ(evaluate(with({"--worst", "1", "--allow-subwords"})), 0) << error_;
}

TEST_F(EvaluateBreakdown, NeedsItsTexts) {
  for (const auto& [options, part] : std::vector<std::pair<std::vector<std::string>, std::string>>{
           {{"--breakdown"}, "--sources"},
           {{"--sources", path("src")}, "--sources"},
           {{"--training-text", path("train")}, "--training-text"},
           {{"--worst", "1", "--src-lang", "de"}, "--src-lang"},
           {{"--worst", "1", "--tgt-lang", "de"}, "--tgt-lang"}}) {
    EXPECT_EQ(evaluate(options), kUsageError) << part;
    EXPECT_EQ(error_.find("attend: " + part + ": "), 0u) << error_;
  }
  EXPECT_EQ(evaluate({"--worst", "1", "--sources", path("train")}), kFailure);
  EXPECT_NE(error_.find("a source for each of 3 translations, got 2"), std::string::npos) << error_;
  EXPECT_EQ(evaluate({"--breakdown", "--sources", path("missing")}), kFailure);
}

}  // namespace
}  // namespace attend
