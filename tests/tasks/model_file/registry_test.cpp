#include "attend/tasks/model_file/registry.h"

#include <gtest/gtest.h>

#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "attend/error.h"
#include "checkpoint/test_folder.h"
#include "tasks/small_classifier.h"
#include "tasks/small_embedder.h"
#include "tasks/small_language.h"
#include "tasks/small_model.h"
#include "tasks/small_quality.h"
#include "tensor/expect_error.h"

namespace attend {
namespace {

std::string kind_of(const SavedModel& model) {
  return visit_model(
      model,
      [](const TranslationModel& m) {
        return "translator of " + std::to_string(m.network->encoder_layers());
      },
      [](const LanguageModel&) { return std::string("language model"); },
      [](const SavedModel&) { return std::string("another"); });
}

TEST(Registry, LoadsEveryKindOfModel) {
  EXPECT_EQ(kind_of(*load_model(checkpoint_of(small_model()))), "translator of 3");
  EXPECT_EQ(kind_of(*load_model(checkpoint_of(small_language_model()))), "language model");
  EXPECT_EQ(kind_of(*load_model(checkpoint_of(small_classifier()))), "another");
  EXPECT_EQ(load_model(checkpoint_of(small_embedder()))->task(), "embedding");
  EXPECT_EQ(load_model(checkpoint_of(small_quality_model()))->task(), "quality");
}

TEST(Registry, HasWhatCanBeTrained) {
  std::set<std::string_view> names;
  for (const std::unique_ptr<Trainable>& task : trainable_tasks()) {
    names.insert(task->name());
    EXPECT_FALSE(task->help().empty());
    for (OptionGroup& group : task->option_groups()) {
      for (const OptionField& field : group.fields)
        if (field.name == "max-steps") set_option(field, std::vector<std::string>{"7"}, field.name);
    }
    EXPECT_EQ(task->trainer().max_steps, 7)
        << "the fields are those of the options that are trained with";
    EXPECT_THROW(task->prepare(nullptr), ConfigError) << "without a text";
  }
  EXPECT_EQ(names, (std::set<std::string_view>{"translation", "lm", "classification", "tagging",
                                               "embedding"}));
}

class RegistryFile : public FolderTest {};

TEST_F(RegistryFile, KeepsWhatAModelSaysOfItself) {
  TranslationModel learned = small_model();
  auto config = std::get<TransformerConfig>(learned.network->architecture());
  config.positions = PositionKind::learned;
  config.max_positions = 33;
  learned.network = std::make_shared<Transformer>(config, 1);
  const TranslationModel translation = small_model();
  const ClassificationModel classifier = small_classifier();
  const LanguageModel language = small_language_model();
  for (const SavedModel* model :
       std::initializer_list<const SavedModel*>{&learned, &translation, &classifier, &language}) {
    save_checkpoint(path("model"), checkpoint_of(*model));
    const auto loaded = load_model(path("model"));
    EXPECT_EQ(loaded->task(), model->task());
    EXPECT_EQ(loaded->configuration(), model->configuration());
    EXPECT_EQ(loaded->longest_input(), model == &learned ? 33 : 0);
    EXPECT_EQ(loaded->text_encoder().layers, model->text_encoder().layers);
    EXPECT_EQ(loaded->source, path("model").string());
    ASSERT_EQ(loaded->tokenizers().size(), model->tokenizers().size());
    for (std::size_t i = 0; i < model->tokenizers().size(); ++i) {
      EXPECT_EQ(loaded->tokenizers()[i].name, model->tokenizers()[i].name);
      EXPECT_EQ(loaded->tokenizers()[i].tokenizer.bytes(),
                model->tokenizers()[i].tokenizer.bytes());
    }
  }
}

TEST(Registry, RefusesAModelForAnotherTask) {
  Checkpoint checkpoint = checkpoint_of(small_model());
  checkpoint.source = "model";
  checkpoint.metadata["attend.task"] = "tagging";
  expect_error<DataError>([&] { load_model(checkpoint); },
                          {"model: expected a model for translation or language modeling or "
                           "classification or token classification or embedding or quality, found "
                           "one for tagging"});
  checkpoint.metadata["attend.golden"] = "[]";
  EXPECT_FALSE(check_model(checkpoint).has_value());
  checkpoint.metadata.erase("attend.task");
  EXPECT_THROW(load_model(checkpoint), DataError);
}

}  // namespace
}  // namespace attend
