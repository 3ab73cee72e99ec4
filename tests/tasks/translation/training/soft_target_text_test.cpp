#include "attend/tasks/translation/training/soft_target_text.h"

#include <filesystem>
#include <string>
#include <vector>

#include "attend/error.h"
#include "attend/tasks/translation/training/training.h"
#include "checkpoint/test_folder.h"
#include "tasks/translation/objective_setting.h"
#include "tensor/expect_error.h"

namespace attend {
namespace {

class SoftTargetFiles : public FolderTest {
 protected:
  SoftTargetFiles() {
    lines("src", kPairs.src);
    lines("tgt", kPairs.tgt);
    text_.src = {path("src").string()};
    text_.tgt = {path("tgt").string()};
    for (const std::uint64_t seed : {1, 2}) {
      TranslationModel teacher = learning_model(0.0f);
      teacher.network = std::make_shared<Transformer>(
          std::get<TransformerConfig>(teacher.network->architecture()), seed);
      models_.push_back(std::make_shared<const TranslationModel>(std::move(teacher)));
    }
  }

  void lines(const std::string& name, const std::vector<std::string>& texts) const {
    std::string all;
    for (const std::string& text : texts) all += text + "\n";
    write(path(name), all);
  }
  SoftTargetText written(int k, const std::string& to) const {
    write_soft_targets(TranslationEnsemble(models_), text_, k, path(to), [](std::int64_t) {});
    return SoftTargetText(path(to));
  }
  Distillation by_teachers() const { return {{models_[0]->network, models_[1]->network}, 0.6f}; }
  Distillation by(const SoftTargetText& text) const {
    return {{}, 0.6f, std::make_shared<const SoftTargetText>(text), {0, 1, 2, 3, 4, 5, 6, 7}};
  }
  // The first step's loss of a student, in batches of one or several pairs in a random order.
  static double loss_of(Distillation distillation, float r_drop) {
    TranslationSetting setting{.batch_tokens = 20, .seed = 3, .validates = false};
    setting.loss.distillation = std::move(distillation);
    setting.loss.r_drop = r_drop;
    TranslationObjective objective = translation_of(setting);
    Pass pass = Pass::inference();
    double sum = 0;
    for (std::int64_t i = 0; i < objective.batches(0); ++i)
      sum += double{objective.loss(0, i, 1.0, pass).loss_sum} * static_cast<double>(1 + i);
    return sum;
  }

  TaughtPairs text_;
  TranslationEnsemble::Models models_;
};

TEST_F(SoftTargetFiles, AreThoseOfTheTeachersIfAllTokensAreKept) {
  const int all = static_cast<int>(models_.front()->tgt_tokenizer.vocab_size());
  const SoftTargetText text = written(all, "all");
  for (const float r_drop : {0.0f, 2.0f})
    EXPECT_NEAR(loss_of(by(text), r_drop) / loss_of(by_teachers(), r_drop), 1.0, 2e-4) << r_drop;
}

TEST_F(SoftTargetFiles, AreOthersIfAFewTokensAreKept) {
  const double of_few = loss_of(by(written(2, "few")), 0.0f), of_all = loss_of(by_teachers(), 0.0f);
  EXPECT_NE(of_few, of_all);
}

TEST_F(SoftTargetFiles, HaveARowForEachTokenOfATarget) {
  const SoftTargetText text = written(3, "some");
  EXPECT_EQ(text.pairs(), 8);
  const EncodedPairs pairs = encoded(*models_.front(), kPairs);
  for (std::int64_t i = 0; i < 8; ++i) EXPECT_EQ(text.tokens(i), pairs.tgt.length(i) + 1) << i;
  EXPECT_EQ(text.of(std::vector<std::int32_t>{2, 0}, 0.5f).size(), text.tokens(2) + text.tokens(0));
}

TEST_F(SoftTargetFiles, LeaveOutPairsThatTrainingLeavesOut) {
  std::vector<std::string> with_blank = kPairs.tgt;
  with_blank[3] = "";
  lines("tgt", with_blank);
  text_.length.max_length = 6;
  const SoftTargetText text = written(3, "some");
  EXPECT_EQ(text.tokens(3), 0);
  EXPECT_EQ(text.tokens(0), 0) << "too long";
  EXPECT_GT(text.tokens(4), 0);
}

TEST_F(SoftTargetFiles, GoOnAfterAStop) {
  std::vector<std::string> src, tgt;
  for (int i = 0; i < 900; ++i) {
    src.insert(src.end(), kPairs.src.begin(), kPairs.src.end());
    tgt.insert(tgt.end(), kPairs.tgt.begin(), kPairs.tgt.end());
  }
  lines("src", src);
  lines("tgt", tgt);
  const SoftTargetText whole = written(2, "whole");
  const auto stop = [](std::int64_t pairs) {
    EXPECT_EQ(pairs, 4096);
    throw ConfigError("stopped");
  };
  EXPECT_THROW(write_soft_targets(TranslationEnsemble(models_), text_, 2, path("parts"), stop),
               ConfigError);
  expect_error<DataError>([&] { SoftTargetText{path("parts")}; }, {"found 1 parts", "parts"});
  written(2, "parts");
  for (const char* const part : {"part-000001.safetensors", "part-000002.safetensors"})
    EXPECT_EQ(read(path("parts") / part), read(path("whole") / part)) << part;
  EXPECT_EQ(whole.pairs(), 7200);
}

TEST_F(SoftTargetFiles, RefuseAFolderOfOthers) {
  written(2, "some");
  expect_error<ConfigError>([&] { written(3, "some"); },
                            {"the probabilities in this folder were made by other models"});
  expect_error<DataError>([&] { SoftTargetText{path("none")}; },
                          {"expected the probabilities of teachers"});
}

}  // namespace
}  // namespace attend
