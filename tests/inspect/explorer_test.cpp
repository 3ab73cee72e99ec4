#include "attend/inspect/explorer.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "attend/error.h"
#include "attend/inspect/scored_pair.h"
#include "attend/tasks/model_file/model_packing.h"
#include "attend/tasks/translation/engine.h"
#include "attend/tensor/allocator.h"
#include "checkpoint/test_folder.h"
#include "tasks/small_classifier.h"
#include "tasks/small_model.h"
#include "tensor/expect_error.h"

namespace attend {
namespace {

using ExplorerJson = nlohmann::ordered_json;

class ExplorerTest : public FolderTest {
 protected:
  std::shared_ptr<const Explorer> explorer_of(const SavedModel& model) const {
    save_checkpoint(path("explored.safetensors"), checkpoint_of(model));
    return std::make_shared<const Explorer>(LoadedModel::load(path("explored.safetensors")));
  }
};

TEST_F(ExplorerTest, ForgetsItsChanges) {
  save_checkpoint(path("packed.safetensors"),
                  optimize_model(finished_checkpoint_of(small_model())));
  const Explorer explorer(LoadedModel::load(path("packed.safetensors")));
  const Exploration question{.text = "a cat", .changes = {{"encoder.*"}, {}}};
  const std::int64_t before = memory_statistics().bytes_in_use;
  const ExplorerJson answer = explorer.explore(question);
  EXPECT_GT(memory_statistics().bytes_in_use, before);
  explorer.forget_changes();
  EXPECT_EQ(memory_statistics().bytes_in_use, before);
  EXPECT_EQ(explorer.explore(question), answer);
}

TEST_F(ExplorerTest, ScoresTheTokensThatWereDecoded) {
  const TranslationModel model = small_model();
  const TranslationEngine engine(model);
  const std::vector<std::string> source{"the old dog"};
  const TranslationCandidate best = engine.translate(source).front().candidates.front();
  const ExplorerJson answer = explorer_of(model)->explore({.text = source[0]});
  EXPECT_EQ(answer["translation"], best.text);
  const ExplorerJson& written = answer["attention"]["axes"]["written"]["pieces"];
  ASSERT_EQ(written.size(), best.tokens.size() + 1);
  for (std::size_t i = 0; i < best.tokens.size(); ++i)
    EXPECT_EQ(written[i]["text"], best.tokens[i]);
  ASSERT_EQ(best.token_scores.size(), best.tokens.size()) << "it did not end";
  EXPECT_NEAR(
      answer["log_probability"].get<double>() - written.back()["log_probability"].get<double>(),
      best.log_probability, 1e-3);
}

TEST_F(ExplorerTest, GivesWordsTheProbabilityOfAllTheirPieces) {
  const ExplorerJson answer =
      explorer_of(small_model())->explore({.text = "the dog", .translation = "katze fisch"});
  const ExplorerJson& axis = answer["attention"]["axes"]["written"];
  ASSERT_LT(axis["words"].size(), axis["pieces"].size());
  double words = 0, pieces = 0;
  for (const ExplorerJson& label : axis["words"]) words += label["log_probability"].get<double>();
  for (const ExplorerJson& label : axis["pieces"]) pieces += label["log_probability"].get<double>();
  EXPECT_NEAR(words, pieces, 1e-4);
  EXPECT_NEAR(words, answer["log_probability"].get<double>(), 1e-4);
}

TEST_F(ExplorerTest, KeepsTheModelOfTheLastChangesOnly) {
  const auto explorer = explorer_of(small_model());
  const Exploration plain{.text = "the dog", .translation = "der hund"};
  Exploration off = plain, soft = plain;
  off.changes.heads_off = {"decoder.*"};
  soft.changes.beta = {"0"};
  const ExplorerJson first = explorer->explore(off), second = explorer->explore(soft),
                     whole = explorer->explore(plain);
  EXPECT_NE(first, second);
  EXPECT_NE(first, whole);
  EXPECT_EQ(explorer->explore(off), first);
  EXPECT_EQ(explorer->explore(soft), second);
  EXPECT_EQ(explorer->explore(plain), whole);
}

TEST_F(ExplorerTest, CutsATranslationThatIsTooLongForAPage) {
  TranslationModel model = small_model();
  model.decoding.min_length = 2 * kMaxPageTokens;
  std::string text;
  for (int i = 0; i < 120; ++i) text += "a ";
  const ExplorerJson answer = explorer_of(model)->explore({.text = text});
  EXPECT_EQ(std::ssize(answer["attention"]["axes"]["written"]["pieces"]), kMaxPageTokens + 1);
}

TEST_F(ExplorerTest, TriesHeadsWithTheChangesThatAreInEffect) {
  const auto explorer = explorer_of(small_model());
  Exploration question{.text = "a cat", .translation = "eine katze"};
  const auto score = [&] { return explorer->explore(question)["log_probability"].get<float>(); };
  question.changes.heads_off = {"encoder.*"};
  const float before = score();
  const HeadTrials trials = explorer->head_trials(question);
  ASSERT_EQ(trials.size(), 4u * (3 + 2 + 2));
  const HeadEffect effect = trials.effect(13);
  EXPECT_EQ(effect.module, "decoder.layers.0.self_attn");
  EXPECT_EQ(effect.head, 1);
  question.changes.heads_off.push_back("decoder.layers.0.self_attn:1");
  EXPECT_NEAR(effect.change, score() - before, 1e-5);
  EXPECT_EQ(trials.effect(0).change, 0.0f) << "it is off already";
}

TEST_F(ExplorerTest, RefusesWhatItCannotShow) {
  const auto explorer = explorer_of(small_model());
  std::string long_text;
  for (int i = 0; i <= kMaxPageTokens; ++i) long_text += "the ";
  EXPECT_THROW(explorer->explore({.text = " "}), DataError);
  EXPECT_THROW(explorer->explore({.text = "dog \xff"}), DataError);
  EXPECT_THROW(explorer->explore({.text = long_text}), DataError);
  EXPECT_THROW(explorer->explore({.text = "dog", .translation = long_text}), DataError);
  EXPECT_THROW(explorer->explore({.text = "dog", .reference = long_text}), DataError);
  EXPECT_THROW(explorer->explore({.text = "dog", .changes = {{"none"}, {}}}), ConfigError);
  ClassificationModel classifier = small_classifier();
  classifier.length.max_length = 2 * kMaxPageTokens;
  EXPECT_THROW(explorer_of(classifier)->explore({.text = long_text}), DataError);
  const auto of_pairs = explorer_of(small_classifier_for(ProblemType::single_label, true));
  expect_error<ConfigError>([&] { of_pairs->explore({.text = "a good film\ta bad film"}); },
                            {"classifier of single texts", "pairs"});
  const auto of_numbers = explorer_of(small_classifier_for(ProblemType::regression));
  expect_error<ConfigError>([&] { of_numbers->explore({.text = "a good film"}); }, {"numbers"});
}

}  // namespace
}  // namespace attend
