#include "api/c/c_test.h"
#include "tasks/small_adapter.h"

namespace attend {
namespace {

class CModels : public ApiTest {};

TEST_F(CModels, OfEveryKindAreLoadedByOneFunction) {
  const std::vector<std::pair<TrainingJob, std::string>> jobs{
      {translation_job("a", 1), "translation"},
      {language_job("b", 1), "lm"},
      {classification_job("c", 1), "classification"},
      {tagging_job("d", 1), "tagging"}};
  for (const auto& [job, task] : jobs) {
    const OwnedModel model = load(train(job).model.string());
    EXPECT_EQ(attend_model_task(model.get()), task);
  }
}

TEST_F(CModels, ListTheirLabels) {
  const OwnedModel classifier = load(train(classification_job("c", 1)).model.string());
  ASSERT_EQ(attend_model_label_count(classifier.get()), 2);
  EXPECT_STREQ(attend_model_label(classifier.get(), 0), "animal");
  EXPECT_STREQ(attend_model_label(classifier.get(), 1), "food");
  EXPECT_EQ(attend_model_label(classifier.get(), 2), nullptr);
  EXPECT_EQ(attend_model_label(classifier.get(), -1), nullptr);
  const OwnedModel tagger = load(train(tagging_job("t", 1)).model.string());
  EXPECT_EQ(attend_model_label_count(tagger.get()), 4);
  const OwnedModel translator = load(train(translation_job("r", 1)).model.string());
  EXPECT_EQ(attend_model_label_count(translator.get()), 0);
  EXPECT_EQ(attend_model_label_count(nullptr), 0);
  EXPECT_EQ(attend_model_label(nullptr, 0), nullptr);
  EXPECT_STREQ(attend_model_task(nullptr), "");
}

TEST_F(CModels, AreLoadedOntoARuntime) {
  train(translation_job("r", 1));
  const OwnedRuntime runtime(attend_runtime_new(2, nullptr));
  const OwnedModel model(made([&](attend_error** error) {
    return attend_load(path("r").c_str(), runtime.get(), nullptr, error);
  }));
  EXPECT_EQ(attend_runtime_threads(runtime.get()), 2);
}

TEST_F(CModels, ThatCannotBeLoadedSayWhy) {
  const auto loading = [](const char* path) {
    return [path](attend_error** error) { return attend_load(path, nullptr, nullptr, error); };
  };
  expect_failure(ATTEND_INVALID_ARGUMENT, {"path", "NULL"}, loading(nullptr));
  const std::string absent = path("absent").string(), damaged = path("damaged").string();
  expect_failure(ATTEND_IO_ERROR, {absent.c_str()}, loading(absent.c_str()));
  write("damaged", "no model");
  expect_failure(ATTEND_DATA_ERROR, {damaged.c_str()}, loading(damaged.c_str()));
}

TEST_F(CModels, AreNotLoadedAfterCancelling) {
  const std::string model = train(classification_job("c", 1)).model.string();
  const OwnedCancellation cancellation(attend_cancellation_new());
  attend_cancel(cancellation.get());
  expect_failure(ATTEND_CANCELLED, {"cancelled"}, [&](attend_error** error) {
    return attend_load(model.c_str(), nullptr, cancellation.get(), error);
  });
}

TEST_F(CModels, TakeAdapters) {
  train(classification_job("base", 3));
  Checkpoint adapter =
      small_adapter(load_checkpoint(path("base")), {"encoder.layers.0.self_attn.v_proj.weight"},
                    {"output.weight"}, 2);
  adapter.metadata["attend.labels"] = R"(["no","yes"])";
  save_checkpoint(path("adapter"), adapter);
  OwnedModel base = load(path("base").string());
  const OwnedModel adapted(made([&](attend_error** error) {
    return attend_model_with_adapter(base.get(), path("adapter").c_str(), nullptr, error);
  }));
  base.reset();
  EXPECT_STREQ(attend_model_label(adapted.get(), 1), "yes");
  expect_failure(ATTEND_DATA_ERROR, {}, [&](attend_error** error) {
    return attend_model_with_adapter(adapted.get(), path("base").c_str(), nullptr, error);
  });
  expect_failure(ATTEND_INVALID_ARGUMENT, {"model"}, [&](attend_error** error) {
    return attend_model_with_adapter(nullptr, path("adapter").c_str(), nullptr, error);
  });
}

}  // namespace
}  // namespace attend
