#include "attend/tasks/training/initial_model.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "attend/checkpoint/parameters.h"
#include "attend/tasks/classification/training.h"
#include "attend/tasks/model_file/registry.h"
#include "attend/tasks/translation/training/training.h"
#include "checkpoint/test_folder.h"
#include "tasks/small_embedder.h"
#include "tasks/small_tagger.h"
#include "tensor/expect_error.h"

namespace attend {
namespace {

// What a trained model's file holds.
Checkpoint file_of(const TrainingTask& task) {
  Checkpoint checkpoint;
  checkpoint.source = "the initial model";
  task.model->describe(checkpoint);
  const ParameterSet& parameters = task.objective->parameters();
  add_parameters(checkpoint, parameters, parameters.values());
  return checkpoint;
}

class InitialClassifier : public FolderTest {
 protected:
  InitialClassifier() {
    write(path("two"), "good\ta fine day\nbad\ta long rain\ngood\tthe sun\nbad\tthe storm\n");
    write(path("other"), "day\ta fine day\nrain\ta long rain\nsun\tthe sun\n");
  }

  ClassificationTraining options_for(const char* texts, std::uint64_t seed) const {
    ClassificationTraining options;
    options.data.train = {path(texts).string()};
    options.tokenizer.vocab_size = 24;
    options.model.d_model = 8;
    options.model.n_heads = 2;
    options.model.d_ff = 8;
    options.trainer.seed = seed;
    return options;
  }
  TrainingTask started_from(const Checkpoint& model, const char* texts) const {
    ClassificationTraining options;
    options.data.train = {path(texts).string()};
    adopt_model(options, model);
    options.initial = std::make_shared<const Checkpoint>(model);
    return prepare_training(options, nullptr);
  }
  static std::vector<float> values(const Checkpoint& model, const std::string& name) {
    return model.tensor(name).to_vector();
  }
};

TEST_F(InitialClassifier, KeepsItsOutputLayerForItsLabels) {
  Checkpoint model = file_of(prepare_training(options_for("two", 5), nullptr));
  // Labels of other programs are in any order.
  model.metadata["attend.labels"] = R"(["good","bad"])";
  const TrainingTask task = started_from(model, "two");
  const Checkpoint started = file_of(task);
  for (const NamedTensor& tensor : model.tensors)
    EXPECT_EQ(started.tensor(tensor.name).shape(), tensor.tensor.shape()) << tensor.name;
  for (const char* name : {"embedding.weight", "output.weight", "encoder.layers.0.norm1.weight"})
    EXPECT_EQ(values(started, name), values(model, name)) << name;
  EXPECT_EQ(started.text("attend.labels"), model.text("attend.labels"));
  EXPECT_EQ(dynamic_cast<const ClassificationModel&>(*task.model).tokenizer.bytes(),
            classification_model(model).tokenizer.bytes());
}

// Validation reads the labels as the model has them: training must mean the same ones.
TEST_F(InitialClassifier, GoesOnWithTheLabelsInTheOrderOfItsModel) {
  Checkpoint model = file_of(prepare_training(options_for("two", 5), nullptr));
  model.metadata["attend.labels"] = R"(["good","bad"])";
  ClassificationTraining options;
  options.data.train = options.data.valid = {path("two").string()};
  adopt_model(options, model);
  options.loss = {};
  options.initial = std::make_shared<const Checkpoint>(model);
  const TrainingTask task = prepare_training(options, nullptr);
  ASSERT_EQ(task.objective->batches(0), 1);
  Pass pass = Pass::inference();
  const double nll_of_four = task.objective->loss(0, 0, 1.0, pass).nll_sum;
  EXPECT_NEAR(nll_of_four / 4, task.objective->validate().nll, 1e-5);
}

TEST_F(InitialClassifier, KeepsItsLabelsWhereOnlySomeOccur) {
  write(path("three"), "good\ta fine day\nbad\ta long rain\nwet\tthe sun\nbad\tthe storm\n");
  Checkpoint model = file_of(prepare_training(options_for("three", 5), nullptr));
  model.metadata["attend.labels"] = R"(["wet","good","bad"])";
  ClassificationTraining options;
  options.data.train = options.data.valid = {path("two").string()};
  options.loss.class_weights = {"balanced"};
  adopt_model(options, model);
  options.initial = std::make_shared<const Checkpoint>(model);
  const TrainingTask task = prepare_training(options, nullptr);
  const Checkpoint started = file_of(task);
  EXPECT_EQ(started.text("attend.labels"), model.text("attend.labels"));
  for (const char* name : {"embedding.weight", "output.weight", "output.bias"})
    EXPECT_EQ(values(started, name), values(model, name)) << name;
  for (const std::string& note : task.notes)
    EXPECT_EQ(note.find("new output layer"), std::string::npos) << note;
  ASSERT_EQ(task.objective->batches(0), 1);
  Pass pass = Pass::inference();
  const BatchLoss loss = task.objective->loss(0, 0, 1.0, pass);
  EXPECT_NEAR(loss.nll_sum / 4, task.objective->validate().nll, 1e-5);
  EXPECT_NEAR(loss.loss_sum, loss.nll_sum, 1e-5) << "two texts of either label";
  EXPECT_EQ(file_of(prepare_training(options, &started)).text("attend.labels"),
            model.text("attend.labels"));
}

TEST_F(InitialClassifier, GetsANewOutputLayerForOtherLabels) {
  const Checkpoint model = file_of(prepare_training(options_for("two", 5), nullptr));
  const TrainingTask task = started_from(model, "other");
  const Checkpoint started = file_of(task);
  EXPECT_EQ(started.tensor("output.weight").shape(), (Shape{3, 8}));
  EXPECT_EQ(values(started, "embedding.weight"), values(model, "embedding.weight"));
  EXPECT_EQ(started.text("attend.labels"), R"(["day","rain","sun"])");
  EXPECT_NE(task.notes.front().find("new output layer"), std::string::npos) << task.notes.front();
}

TEST_F(InitialClassifier, PutsANewHeadOnAnEmbeddingModel) {
  const EmbeddingModel embedder = small_embedder();
  Checkpoint model;
  embedder.describe(model);
  add_parameters(model, embedder.parameters(), embedder.parameters().values());
  const TrainingTask task = started_from(model, "other");
  const auto& classifier = dynamic_cast<const ClassificationModel&>(*task.model);
  EXPECT_EQ(classifier.network->config().pooling, Pooling::mean);
  EXPECT_EQ(classifier.length.max_length, embedder.length.max_length);
  EXPECT_EQ(classifier.ids("so good"), embedder.ids("so good")) << "both marks stay";
  const Checkpoint started = file_of(task);
  for (const ParameterSet::Entry& entry : embedder.parameters().entries())
    EXPECT_EQ(values(started, entry.name), values(model, entry.name)) << entry.name;
  EXPECT_EQ(started.tensor("output.weight").shape(), (Shape{3, 32}));
  EXPECT_NE(task.notes.front().find("a new head on the encoder, with pooling mean"),
            std::string::npos)
      << task.notes.front();
}

TEST_F(InitialClassifier, PutsANewHeadOnATagger) {
  const TaggingModel tagger = small_tagger();
  const Checkpoint model = checkpoint_of(tagger);
  const TrainingTask task = started_from(model, "other");
  const auto& classifier = dynamic_cast<const ClassificationModel&>(*task.model);
  EXPECT_EQ(classifier.tokenizer.bytes(), tagger.tokenizer.bytes());
  EXPECT_EQ(classifier.length.max_length, tagger.length.max_length);
  EXPECT_EQ(classifier.special().bos, tagger.special().bos) << "the mark stays";
  const Checkpoint started = file_of(task);
  for (const ParameterSet::Entry& entry : tagger.parameters().entries())
    if (!entry.name.starts_with("output.")) {
      EXPECT_EQ(values(started, entry.name), values(model, entry.name)) << entry.name;
    }
  EXPECT_EQ(started.tensor("output.weight").shape(), (Shape{3, 16}));
  EXPECT_EQ(started.text("attend.labels"), R"(["day","rain","sun"])");
  EXPECT_NE(task.notes.front().find("a new head on the encoder"), std::string::npos)
      << task.notes.front();
}

TEST_F(InitialClassifier, IsRefusedForAnotherTaskAndInEightBits) {
  const Checkpoint model = file_of(prepare_training(options_for("two", 5), nullptr));
  for (std::unique_ptr<Trainable>& task : trainable_tasks()) {
    const auto start = [&](const Checkpoint& from) {
      task->start_from(std::make_shared<const Checkpoint>(from), [](const auto&) { return false; });
    };
    if (task->name() != "translation" && task->name() != "lm") {
      EXPECT_NO_THROW(start(model)) << task->name();
      Checkpoint small = model;
      small.tensors.push_back({"x", Tensor::empty_on_host({1}, DType::i8)});
      expect_error<DataError>([&] { start(small); }, {"the initial model", "8 bits"});
    } else {
      expect_error<DataError>([&] { start(model); }, {"the initial model", "classification"});
    }
  }
}

TEST_F(InitialClassifier, IsReleasedOnceTheTaskIsPrepared) {
  const auto tasks = trainable_tasks();
  const auto found = std::find_if(tasks.begin(), tasks.end(), [](const auto& task) {
    return task->name() == ClassificationTraining::kName;
  });
  ASSERT_NE(found, tasks.end());
  Trainable& task = **found;
  for (const OptionGroup& group : task.option_groups())
    for (const OptionField& field : group.fields) {
      const auto set = [&](std::string value) {
        set_option(field, std::vector{std::move(value)}, field.name);
      };
      if (field.name == "train") set(path("two").string());
      if (field.name == "lora-rank") set("2");
    }
  auto model =
      std::make_shared<const Checkpoint>(file_of(prepare_training(options_for("two", 5), nullptr)));
  const std::weak_ptr<const Checkpoint> watched = model;
  task.start_from(std::move(model), [](const auto& name) { return name == "train"; });
  ASSERT_FALSE(watched.expired());
  const TrainingTask prepared = task.prepare(nullptr);
  EXPECT_TRUE(watched.expired()) << "the memory of the model is needed for training";
  EXPECT_GT(prepared.objective->batches(0), 0);
}

struct SettledOptions {
  int width = 8;
  float dropout = 0.1f;
};
template <class Visitor>
void fields(SettledOptions& o, Visitor&& visit) {
  visit("width", o.width, between(1, 100), "width");
  visit("some-dropout", o.dropout, between(0, 1), "dropout");
}

std::vector<OptionGroup> group_of(SettledOptions& options, const char* name) {
  return {{name, option_fields(options)}};
}

TEST(SettleOptions, RefusesAnotherArchitectureAndKeepsTheDropoutOfTheUser) {
  const SettledOptions of_model{16, 0.3f}, of_user{8, 0.2f};
  const auto settled = [&](std::initializer_list<std::string_view> set, const char* group,
                           const OpenOptions& open = {}) {
    SettledOptions adopted = of_model, given = of_user;
    settle_options(
        group_of(adopted, group), group_of(given, group),
        [&](const std::string& name) {
          return std::find(set.begin(), set.end(), name) != set.end();
        },
        open, "model.safetensors");
    return adopted;
  };
  EXPECT_EQ(settled({}, "model").width, 16);
  EXPECT_EQ(settled({}, "model").dropout, 0.3f);
  EXPECT_EQ(settled({"some-dropout"}, "model").dropout, 0.2f);
  EXPECT_EQ(settled({"width"}, "data").width, 8);
  EXPECT_EQ(settled({"width"}, "model", {"width"}).width, 8);
  EXPECT_EQ(settled({}, "model", {"width"}).width, 16);
  expect_error<ConfigError>([&] { settled({"width"}, "model"); },
                            {"model.safetensors: width is 16; leave width 8 out"});
  expect_error<ConfigError>([&] { settled({"width"}, "vocabulary"); },
                            {"model.safetensors: a model keeps its vocabulary", "width 8"});
}

TEST(ModelOptionsOf, AreTheOptionsOfAnArchitecture) {
  TransformerConfig transformer;
  transformer.d_model = 24;
  transformer.norm_first = true;
  EXPECT_EQ(config_json(ModelOptions::of(transformer).chosen()), config_json(transformer));
  RecurrentConfig recurrent;
  recurrent.d_model = 12;
  recurrent.d_hidden = 7;
  recurrent.dropout = 0.3f;
  recurrent.tie_embeddings = TiedEmbeddings::none;
  recurrent.attention.choice = AttentionChoice::hard;
  const ModelOptions options = ModelOptions::of(recurrent);
  EXPECT_EQ(options.arch, Architecture::rnn);
  EXPECT_EQ(config_json(options.chosen()), config_json(recurrent));
}

}  // namespace
}  // namespace attend
