// attend translate with --rerank and --mbr comet.
#include <algorithm>
#include <nlohmann/json.hpp>
#include <sstream>

#include "attend/tasks/quality/engine.h"
#include "cli/small_run.h"
#include "tasks/small_quality.h"

namespace attend {
namespace {

using Lines = std::vector<std::string>;

class ChoosingModels : public SmallRunTest {
 protected:
  void SetUp() override {
    ASSERT_EQ(run(training("run", {"--max-steps", "3", "--save-every", "1", "--valid-every", "0"})),
              0)
        << error_;
    const Lines words{read(path("valid.en")), read(path("valid.de"))};
    const auto save = [&](const std::string& name, QualityReading reading, bool reference) {
      save_checkpoint(path(name), finished_checkpoint_of(small_quality_model(
                                      reading, true, reference, scored_words(words, 200))));
    };
    save("compared", QualityReading::compared, true);
    save("kiwi", QualityReading::joined, false);
  }
  int translate(Lines more, const std::string& input) {
    more.insert(more.begin(), {"translate", model("run"), "--max-length", "6"});
    return run(more, input);
  }
  std::vector<Lines> candidates(const Lines& options, const std::string& input) {
    Lines all{"--format", "json"};
    all.insert(all.end(), options.begin(), options.end());
    EXPECT_EQ(translate(all, input), 0) << error_;
    std::vector<Lines> texts;
    std::istringstream stream(out_);
    for (std::string line; std::getline(stream, line);) {
      texts.emplace_back();
      const auto json = nlohmann::json::parse(line);
      for (const auto& one : json["translations"]) texts.back().push_back(one["text"]);
    }
    return texts;
  }
};

TEST_F(ChoosingModels, TakeTheCandidateOfTheHighestEstimate) {
  const QualityEngine kiwi = QualityEngine::load(path("kiwi"));
  const Lines sentences{"The man sleeps.", "", "A dog sees the old man."};
  const std::string input = sentences[0] + "\n\n" + sentences[2] + "\n";
  const auto all = candidates({"--beam-size", "6", "--n-best", "6"}, input),
             best =
                 candidates({"--beam-size", "6", "--n-best", "2", "--rerank", path("kiwi")}, input);
  ASSERT_EQ(best.size(), 3u);
  EXPECT_EQ(best[1], Lines{""});
  for (const std::size_t i : {0, 2}) {
    const auto scores = kiwi.score(all[i], {Lines(all[i].size(), sentences[i]), {}});
    const std::vector<float> found = kiwi.score(best[i], {Lines(best[i].size(), sentences[i]), {}});
    ASSERT_EQ(found.size(), 2u);
    EXPECT_EQ(found[0], *std::max_element(scores.begin(), scores.end()));
    EXPECT_GE(found[0], found[1]);
  }
  ASSERT_EQ(translate({"--beam-size", "6", "--rerank", path("kiwi")}, input), 0) << error_;
  EXPECT_EQ(out_, best[0][0] + "\n\n" + best[2][0] + "\n");
}

TEST_F(ChoosingModels, ChooseAmongSamplesAndInWholeTexts) {
  const std::string input = "The man sleeps.\nA dog sees the old man.\n";
  const auto plain = candidates({"--sample"}, input);
  for (const Lines& by :
       {Lines{"--rerank", path("kiwi")}, Lines{"--mbr", "comet", "--comet", path("compared")}}) {
    Lines options{"--samples", "12"};
    options.insert(options.end(), by.begin(), by.end());
    const auto chosen = candidates(options, input);
    EXPECT_NE(chosen, plain);
    options.insert(options.end(), {"--batch-size", "1", "--threads", "2"});
    EXPECT_EQ(candidates(options, input), chosen);
    Lines text{"--text"};
    text.insert(text.end(), by.begin(), by.end());
    ASSERT_EQ(translate(text, "The man sleeps. A dog\n\nsees the old man."), 0) << error_;
    EXPECT_NE(out_.find("\n\n"), std::string::npos) << out_;
    Lines again{"--then", model("run")};
    again.insert(again.end(), by.begin(), by.end());
    EXPECT_EQ(translate(again, input), 0) << error_;
  }
}

TEST_F(ChoosingModels, RefuseModelsOfAnotherKind) {
  const auto refuse = [&](const Lines& options, int status, const std::string& message) {
    EXPECT_EQ(translate(options, "The man sleeps.\n"), status);
    EXPECT_NE(error_.find(message), std::string::npos) << error_;
    EXPECT_EQ(out_, "");
  };
  refuse({"--rerank", path("compared")}, 2,
         "--rerank: expected a model that needs no references, as CometKiwi; " + path("compared") +
             " needs them: give it as --comet, with --mbr comet");
  refuse({"--mbr", "comet", "--comet", path("kiwi")}, 2,
         "--comet: expected a model that compares translations with references, as COMET; " +
             path("kiwi") + " reads none: give it as --rerank");
  refuse({"--mbr", "comet"}, 2, "--mbr: comet needs a model, given as --comet");
  refuse({"--comet", path("compared")}, 2, "--comet: expected --mbr comet with it");
  refuse({"--mbr", "chrf", "--comet", path("compared")}, 2,
         "--comet: expected --mbr comet with it");
  refuse({"--mbr", "chrf", "--rerank", path("kiwi")}, 2, "--rerank: expected no --mbr with it");
  refuse({"--rerank", model("run")}, 2,
         "--rerank: expected a model that scores translations, such as COMET or CometKiwi; " +
             model("run") + " is for translation");
}

}  // namespace
}  // namespace attend
