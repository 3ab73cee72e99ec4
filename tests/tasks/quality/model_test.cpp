#include "attend/tasks/quality/model.h"

#include <gtest/gtest.h>

#include "attend/checkpoint/checkpoint.h"
#include "attend/error.h"
#include "attend/tasks/model_file/model_quantization.h"
#include "attend/tasks/model_file/registry.h"
#include "checkpoint/test_folder.h"
#include "tasks/small_classifier.h"
#include "tasks/small_quality.h"
#include "tensor/expect_error.h"

namespace attend {
namespace {

class QualityModelFile : public FolderTest {};

TEST_F(QualityModelFile, KeepsWhatTheModelComputes) {
  for (const QualityReading reading : {QualityReading::compared, QualityReading::joined}) {
    const QualityModel model = small_quality_model(reading);
    save_checkpoint(path("model"), finished_checkpoint_of(model));
    const auto loaded = load_model(path("model"));
    EXPECT_EQ(loaded->task(), "quality");
    EXPECT_EQ(loaded->configuration(), model.configuration());
    EXPECT_EQ(loaded->longest_input(), 16);
    EXPECT_LT(check_model(load_checkpoint(path("model")))->deviation, 1e-6);
    EXPECT_TRUE(check_model(quantize_model(load_checkpoint(path("model"))))->holds());
    const QualityModel again = load_quality_model(path("model"));
    const Ragged text = Ragged::one(model.ids("a good film"));
    EXPECT_EQ(quality_scores(again, {text, text, text}), quality_scores(model, {text, text, text}));
  }
  save_checkpoint(path("model"), finished_checkpoint_of(small_classifier(Pooling::max)));
  expect_error<DataError>([&] { load_quality_model(path("model")); },
                          {"expected a model for quality"});
}

TEST_F(QualityModelFile, IsRefusedWhenDamaged) {
  const auto expect_refused = [&](const std::string& from, const std::string& to,
                                  std::initializer_list<std::string_view> fragments) {
    Checkpoint checkpoint = finished_checkpoint_of(small_quality_model());
    std::string& config = checkpoint.metadata["attend.config"];
    const auto found = config.find(from);
    ASSERT_NE(found, config.npos) << from << " in " << config;
    config.replace(found, from.size(), to);
    expect_error<DataError>([&] { quality_model(checkpoint); }, fragments);
  };
  expect_refused(R"(["12","5"])", R"(["12","x"])", {"attend.config", "estimator", "'x'"});
  expect_refused(R"(["12","5"])", R"(["0"])", {"attend.config", "estimator"});
  expect_refused(R"(["12","5"])", R"(["13","5"])", {"estimator.0.weight"});
  expect_refused(R"("source":true)", R"("source":false)", {"attend.config", "source"});
  expect_refused(R"("pooling":"mean")", R"("pooling":"last")", {"pooling", "max, mean or first"});
  Checkpoint checkpoint = finished_checkpoint_of(small_quality_model());
  checkpoint.metadata["attend.golden"] =
      R"([{"translation":[2],"source":[2,3],"reference":[2,3],"scores":[1]}])";
  expect_error<DataError>([&] { check_model(checkpoint); }, {"attend.golden", "special tokens"});
}

// bos translation eos eos other eos, and the marks of each text once.
TEST(QualityModel, JoinsTextsUpToItsLastPosition) {
  const QualityModel model = small_quality_model(QualityReading::joined, true, false);
  const auto score = [&](const std::vector<std::int32_t>& first,
                         const std::vector<std::int32_t>& second) {
    return quality_scores(model, {Ragged::one(first), Ragged::one(second), {}}).front();
  };
  const SpecialTokens special = model.special();
  const std::vector<std::int32_t> first = model.ids("a good film"), second = model.ids("so good");
  std::vector<std::int32_t> both(first.begin(), first.end());
  both.push_back(special.eos);
  both.insert(both.end(), second.begin() + 1, second.end());
  const NoGradient guard;
  Pass pass = Pass::inference();
  const auto score_of = [&](const std::vector<std::int32_t>& ids) {
    return model.network->estimate(model.network->vectors(Ragged::one(ids), pass), pass)
        .value()
        .to_vector()[0];
  };
  EXPECT_EQ(score(first, second), score_of(both));
  std::vector<std::int32_t> longest{special.bos};
  longest.insert(longest.end(), 12, first[1]);
  longest.push_back(special.eos);  // 14 and 15 tokens more, for 16 positions
  std::vector<std::int32_t> cut = longest;
  cut.insert(cut.end(), {special.eos, first[1]});
  EXPECT_EQ(score(longest, longest), score_of(cut));
}

TEST(QualityModel, ScoresByTheMeanOfWhatItReads) {
  const QualityModel both = small_quality_model(QualityReading::joined);
  const Ragged a = Ragged::one(both.ids("a good film")), b = Ragged::one(both.ids("a bad film")),
               c = Ragged::one(both.ids("so good"));
  const float without = quality_scores(both, {a, b, {}})[0],
              with = quality_scores(both, {a, b, c})[0];
  EXPECT_NE(without, with);
  EXPECT_FALSE(both.needs_reference());
  EXPECT_TRUE(small_quality_model(QualityReading::joined, false).needs_reference());
  EXPECT_TRUE(small_quality_model().needs_reference());
  EXPECT_FALSE(small_quality_model(QualityReading::compared, true, false).needs_reference());
}

TEST(QualityModel, RefusesScoresWhoseSumIsTooLarge) {
  Checkpoint checkpoint = finished_checkpoint_of(small_quality_model(QualityReading::joined));
  Tensor bias = checkpoint.tensor("estimator.2.bias");  // its values, not a copy
  bias.span()[0] = 3e38f;
  const QualityModel model = quality_model(checkpoint);
  const Ragged text = Ragged::one(model.ids("a good film"));
  EXPECT_GT(quality_scores(model, {text, text, {}})[0], 2e38f);
  expect_error<DataError>(
      [&] {
        quality_scores(model, {text, text, text});
      },
      {"scores of translations", "found inf"});
}

}  // namespace
}  // namespace attend
