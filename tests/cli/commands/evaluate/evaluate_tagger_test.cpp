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

}  // namespace
}  // namespace attend
