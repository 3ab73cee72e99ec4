#include <nlohmann/json.hpp>

#include "cli/started_program.h"

namespace attend {
namespace {

class EvaluateTagger : public StartedProgramTest {
 protected:
  std::string scores_on(const std::vector<std::string>& texts) {
    std::vector<std::string> arguments{"evaluate", path("tg"), "--format", "json", "--labeled"};
    arguments.insert(arguments.end(), texts.begin(), texts.end());
    EXPECT_EQ(run(arguments), 0) << error_;
    return out_;
  }
};

TEST_F(EvaluateTagger, ReadsTheColumnsOfATable) {
  train_tagger("tg");
  const std::string expected = scores_on({path("tagged.conll")});
  const std::string table = write("tagged.csv",
                                  "id,words,tags\n1,good film,O B-A\n2,bad film story,O B-A I-A\n"
                                  "3,good story,O B-A\n");
  EXPECT_EQ(scores_on({table, "--text-column", "words", "--label-column", "tags"}), expected);
}

TEST_F(EvaluateTagger, SaysHowTrueProbabilitiesAre) {
  train_tagger("tg");
  const auto json = nlohmann::json::parse(scores_on({path("tagged.conll"), "--reliability"}));
  const auto& bins = json["reliability"]["bins"];
  double right = 0, words = 0;
  for (const auto& bin : bins) {
    words += bin["predictions"].get<double>();
    right += bin["predictions"].get<double>() * bin["accuracy"].get<double>();
  }
  EXPECT_EQ(bins.size(), 10u);
  EXPECT_EQ(words, json["words"]);
  EXPECT_NEAR(right / words, json["accuracy"], 1e-9);
  EXPECT_FALSE(nlohmann::json::parse(scores_on({path("tagged.conll")})).contains("reliability"));
}

}  // namespace
}  // namespace attend
