#include "attend/inspect/beam_tree.h"

#include <gtest/gtest.h>

#include "tasks/small_model.h"

namespace attend {
namespace {

BeamStep step_of(int written, std::vector<BeamCandidate> candidates) {
  return {written, std::move(candidates)};
}

TEST(BeamTree, SaysWhatStepsHold) {
  const Tokenizer tokenizer = small_model().tgt_tokenizer;
  const std::int32_t d = tokenizer.id("d");
  const std::vector<BeamStep> steps{
      step_of(0, {{0, d, -0.1f, -0.2f, -0.3f, BeamFate::kept},
                  {1, tokenizer.eos_id(), -1.5f, -2, -3, BeamFate::ended}}),
      step_of(1, {{0, d, -1, -1, -1, BeamFate::pruned}, {0, d, -1, -1, -1, BeamFate::cut}})};
  const auto json = beam_json(steps, tokenizer);
  ASSERT_EQ(json.size(), 2u);
  EXPECT_EQ(json[0]["written"], 0);
  EXPECT_EQ(json[0]["candidates"][0].dump(),
            R"({"parent":0,"id":)" + std::to_string(d) +
                R"(,"token":"d","token_log_probability":-0.1,"log_probability":-0.2,)"
                R"("score":-0.3,"fate":"kept"})");
  EXPECT_EQ(json[0]["candidates"][1]["parent"], 1);
  EXPECT_EQ(json[0]["candidates"][1]["token"], "</s>");
  EXPECT_EQ(json[0]["candidates"][1]["fate"], "ended");
  EXPECT_EQ(json[1]["candidates"][0]["fate"], "pruned");
  EXPECT_EQ(json[1]["candidates"][1]["fate"], "cut");
}

TEST(BeamTree, SaysWhatMayBeWritten) {
  const std::vector<TokenAlternatives> tokens{{{5, "a", -2.5f}, 2, {{6, "b", -0.1f}}}};
  EXPECT_EQ(alternatives_json(tokens).dump(),
            R"([{"token":"a","id":5,"log_probability":-2.5,"rank":2,)"
            R"("likeliest":[{"token":"b","id":6,"log_probability":-0.1}]}])");
}

TEST(BeamTree, IsRecordedForEachSentence) {
  const BeamRecorder recorder;
  const auto listener = recorder.listener();
  listener(7, step_of(2, {}));
  listener(3, step_of(0, {}));
  listener(7, step_of(3, {}));
  EXPECT_EQ(recorder.take(7).size(), 2u);
  EXPECT_TRUE(recorder.take(7).empty()) << "taken";
  EXPECT_EQ(recorder.take(3).size(), 1u);
}

TEST(BeamTree, IsThatOfTheLastSearchOfASentence) {
  const BeamRecorder recorder;
  const auto listener = recorder.listener();
  for (const int written : {0, 1, 2, 0, 1}) listener(0, step_of(written, {}));
  EXPECT_EQ(recorder.take(0).size(), 2u);
}

}  // namespace
}  // namespace attend
