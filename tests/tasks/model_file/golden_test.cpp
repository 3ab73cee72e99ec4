#include "attend/tasks/model_file/golden.h"

#include <gtest/gtest.h>

#include <memory>
#include <nlohmann/json.hpp>

#include "attend/error.h"
#include "attend/tasks/model_file/registry.h"
#include "tasks/small_classifier.h"
#include "tasks/small_embedder.h"
#include "tasks/small_language.h"
#include "tasks/small_model.h"
#include "tasks/small_tagger.h"
#include "tensor/expect_error.h"

namespace attend {
namespace {

// One of every kind; of classifiers also one that wants a special token before its text.
std::vector<std::shared_ptr<const SavedModel>> small_models() {
  return {std::make_shared<TranslationModel>(small_model()),
          std::make_shared<ClassificationModel>(small_classifier(Pooling::max)),
          std::make_shared<ClassificationModel>(small_classifier(Pooling::first)),
          std::make_shared<TaggingModel>(small_tagger()),
          std::make_shared<EmbeddingModel>(small_embedder()),
          std::make_shared<LanguageModel>(small_language_model())};
}

TEST(GoldenSamples, HoldWhenTheModelComputesTheSame) {
  for (const auto& model : small_models()) {
    SCOPED_TRACE(model->task());
    const Checkpoint checkpoint = finished_checkpoint_of(*model);
    const ModelCheck check = check_golden_samples(*model, golden_samples(checkpoint, *model));
    EXPECT_EQ(check.samples, 3u);
    EXPECT_EQ(check.deviation, 0.0) << "the model itself has computed them";
    const auto loaded = check_model(checkpoint);
    ASSERT_TRUE(loaded.has_value());
    EXPECT_LT(loaded->deviation, 1e-6);
  }
}

TEST(GoldenSamples, ShowThatItComputesSomethingElse) {
  for (const auto& model : small_models()) {
    SCOPED_TRACE(model->task());
    const Checkpoint checkpoint = finished_checkpoint_of(*model);
    for (float& value : model->parameters().values().span()) value *= 1.05f;
    EXPECT_FALSE(check_golden_samples(*model, golden_samples(checkpoint, *model)).holds());
  }
}

TEST(GoldenSamples, ShowASmallDifferenceOfOneOutput) {
  const auto classifier = small_classifier();
  std::vector<GoldenSample> samples =
      golden_samples(finished_checkpoint_of(classifier), classifier);
  samples[1].output[2] += 0.5f;
  const double expected = 0.5 / (1 + std::abs(samples[1].output[2]));
  EXPECT_NEAR(check_golden_samples(classifier, samples).deviation, expected, 1e-6);
  EXPECT_TRUE((ModelCheck{1, 0.9e-4}.holds()));
  EXPECT_FALSE((ModelCheck{1, 1.1e-4}.holds()));
}

TEST(GoldenSamples, AreAFunctionOfTheModelAlone) {
  EXPECT_EQ(finished_checkpoint_of(small_model()).text("attend.golden"),
            finished_checkpoint_of(small_model()).text("attend.golden"));
}

// The form is kept for ever: files have it.
TEST(GoldenSamples, HaveTheFormThatIsDocumented) {
  const auto first = [](const SavedModel& model) {
    return nlohmann::json::parse(finished_checkpoint_of(model).text("attend.golden")).front();
  };
  const TranslationModel translation = small_model();
  const auto sentence = first(translation);
  EXPECT_EQ(sentence.size(), 3u);
  EXPECT_EQ(sentence.at("src").back(), translation.src_tokenizer.eos_id());
  EXPECT_GE(sentence.at("tgt").size(), 4u);
  EXPECT_TRUE(sentence.at("log_probability").is_number());
  const auto text = first(small_classifier(Pooling::first));
  EXPECT_EQ(text.at("text").front(), small_classifier(Pooling::first).tokenizer.bos_id());
  EXPECT_EQ(text.at("log_probabilities").size(), 3u);
  const LanguageModel language = small_language_model();
  const auto passage = first(language);
  EXPECT_EQ(passage.at("ids").front(), language.tokenizer.eos_id());
  EXPECT_TRUE(passage.at("log_probability").is_number());
}

TEST(GoldenSamples, FitIntoFewPositions) {
  for (const int positions : {2, 4, 7}) {
    TranslationModel model = small_model();
    auto config = std::get<TransformerConfig>(model.network->architecture());
    config.positions = PositionKind::learned;
    config.max_positions = positions;
    model.network = std::make_shared<Transformer>(config, 1);
    EXPECT_LT(check_model(finished_checkpoint_of(model))->deviation, 1e-6) << positions;
  }
}

TEST(GoldenSamples, FitIntoAShortContext) {
  EXPECT_LT(
      check_model(finished_checkpoint_of(small_language_model(rhyme_tokenizer(), 2)))->deviation,
      1e-6);
}

TEST(GoldenSamples, MayBeAbsent) {
  for (const auto& model : small_models()) {
    const Checkpoint checkpoint = checkpoint_of(*model);
    EXPECT_TRUE(golden_samples(checkpoint, *model).empty());
    EXPECT_FALSE(check_model(checkpoint).has_value());
    EXPECT_EQ(check_golden_samples(*model, {}).samples, 0u);
  }
}

TEST(GoldenSamples, ThatAreDamagedAreNamed) {
  const auto refuse = [](const SavedModel& model, const char* json, const char* message) {
    Checkpoint checkpoint = checkpoint_of(model);
    checkpoint.source = "model";
    checkpoint.metadata["attend.golden"] = json;
    expect_error<DataError>([&] { golden_samples(checkpoint, model); },
                            {"model: attend.golden", message});
  };
  refuse(small_model(), R"([{"src": "text"}])", "expected a list of ids");
  refuse(small_model(), R"([{"src": [3]}])", "tgt");
  refuse(small_classifier(), R"([{"text": 3}])", "expected a list of ids");
  refuse(small_language_model(), R"([{"ids": [3, 4], "log_probability": "x"}])", "");
}

TEST(GoldenSamples, OfOtherVocabulariesAreRefused) {
  const auto refuse = [](const SavedModel& model, const GoldenSample& sample, const char* message) {
    expect_error<DataError>([&] { check_golden_samples(model, {sample}); },
                            {"attend.golden", message});
  };
  refuse(small_model(), {{{1, 2}, {1000000}}, {-1.0f}}, "tgt: expected ids of the vocabulary");
  refuse(small_model(), {{{}, {1}}, {-1.0f}}, "src: expected ids of the vocabulary");
  refuse(small_classifier(), {{{1000000}}, {0, 0, 0}}, "text");
  refuse(small_classifier(), {{{1}}, {0, 0}}, "expected 3 numbers, as the model gives, found 2");
  refuse(small_language_model(), {{{3, 99}}, {0}}, "ids");
  refuse(small_language_model(), {{{3}}, {0}}, "two or more ids");
  refuse(small_language_model(), {{std::vector<std::int32_t>(10, 3)}, {0}},
         "as many as the context holds, found 10");
}

}  // namespace
}  // namespace attend
