// Training that starts from imported models: the loss and the gradients that transformers has
// (tools/golden_of_training.py).
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>

#include "attend/core/json.h"
#include "attend/interchange/families/families.h"
#include "attend/interchange/foreign_model.h"
#include "attend/interchange/foreign_weights.h"
#include "attend/optim/adam.h"
#include "attend/tasks/adapter.h"
#include "attend/tasks/classification/training.h"
#include "attend/tasks/language/perplexity.h"
#include "attend/tasks/language/training.h"
#include "attend/tasks/registry.h"
#include "attend/tasks/tagging/training.h"
#include "attend/tasks/translation/scoring.h"
#include "attend/tasks/translation/training.h"
#include "interchange/fixtures.h"
#include "tensor/expect_error.h"

namespace attend {
namespace {

class InitialTraining : public testing::TestWithParam<const char*> {
 protected:
  InitialTraining()
      : directory_(fixture("models") / GetParam()),
        golden_(SafetensorsFile::open(fixture("models") / GetParam() / "training.safetensors")),
        model_(std::make_shared<const Checkpoint>(import_model(directory_).checkpoint)) {
    std::filesystem::create_directories(folder_);
    for (const char* side : {"sources", "targets"}) {
      std::ofstream file(folder_ / side);
      for (const auto& line : parse_json(golden_.metadata().at(side), side))
        file << line.get<std::string>() << '\n';
    }
  }
  ~InitialTraining() override { std::filesystem::remove_all(folder_); }

  std::string file(const char* side) const { return (folder_ / side).string(); }

  template <class Options>
  TrainingTask started(Options options) const {
    adopt_model(options, *model_);
    options.initial = model_;
    return prepare_training(options, nullptr);
  }

  // The loss of all batches of an epoch, with its gradients in the parameters of the task.
  static double summed_loss(TrainingTask& task, std::int64_t epoch) {
    double sum = 0;
    for (std::int64_t batch = 0; batch < task.objective->batches(epoch); ++batch) {
      Pass pass = Pass::inference();
      const BatchLoss loss = task.objective->loss(epoch, batch, 1.0, pass);
      backward(loss.loss);
      sum += static_cast<double>(loss.nll_sum);
    }
    return sum;
  }

  // By the names of the family. transformers does not train the bias of the logits of MarianMT, nor
  // the embedding of its padding token.
  void expect_gradients(const TrainingTask& task, std::int32_t padding) const {
    ForeignConfig config = ForeignConfig::from_json(directory_.text("config.json"), "config.json");
    const std::string type = config.text("model_type");
    TensorTable gradients = open_foreign_weights(
        std::make_shared<const InputFile>(directory_.file("training.safetensors")));
    for (const ModelFamily& family : model_families()) {
      if (family.name != type) continue;
      const NameMap names = family.read(directory_, config).names;
      const ParameterSet& parameters = task.objective->parameters();
      for (const ParameterSet::Entry& entry : parameters.entries()) {
        if (entry.name == "output_proj.bias" || is_new(entry)) continue;
        const Tensor expected = read_parameter(gradients, names.theirs(entry.name), entry.shape);
        const Tensor found = parameters.gradients()
                                 .slice_rows(entry.offset, entry.offset + entry.shape.size())
                                 .reshape(entry.shape);
        const bool is_table = entry.name.ends_with("embedding.weight");
        for (std::int64_t r = 0; r < expected.rows(); ++r)
          for (std::int64_t c = 0; c < expected.cols() && !(is_table && r == padding); ++c)
            ASSERT_NEAR(found.row(r)[c], expected.row(r)[c],
                        2e-4 * (1 + std::abs(expected.row(r)[c])))
                << entry.name << " " << r << " " << c;
      }
    }
  }

  // Part of a head that the imported model does not have.
  bool is_new(const ParameterSet::Entry& entry) const {
    return std::none_of(model_->tensors.begin(), model_->tensors.end(),
                        [&](const NamedTensor& tensor) { return tensor.name == entry.name; });
  }

  const std::filesystem::path folder_ = scratch(std::string("initial_") + GetParam());
  const ModelDirectory directory_;
  const SafetensorsFile golden_;
  const std::shared_ptr<const Checkpoint> model_;
};

using InitialTranslation = InitialTraining;
INSTANTIATE_TEST_SUITE_P(Of, InitialTranslation, testing::Values("marian", "marian_separate"),
                         [](const auto& suite) { return std::string(suite.param); });

TEST_P(InitialTranslation, BeginsWithTheLossAndTheGradientsOfTheModel) {
  TranslationTraining options;
  options.data.src_train = {file("sources")};
  options.data.tgt_train = {file("targets")};
  options.loss.training.label_smoothing = 0;
  TrainingTask task = started(options);
  const double loss = summed_loss(task, 0);
  EXPECT_NEAR(loss, golden_.tensor("loss").item(), 1e-4 * loss);

  const TranslationModel model = translation_model(*model_);
  const PairMarks marks = model.format.of({});
  std::vector<std::vector<std::int32_t>> src, tgt;
  for (const auto& line : parse_json(golden_.metadata().at("sources"), "sources")) {
    src.push_back(marks.around(model.src_tokenizer.encode(line.get<std::string>())));
  }
  for (const auto& line : parse_json(golden_.metadata().at("targets"), "targets"))
    tgt.push_back(model.tgt_tokenizer.encode(line.get<std::string>()));
  double scored = 0;
  for (const SequenceScore& score : score_pairs(model, marks, src, tgt))
    scored -= score.log_probability;
  EXPECT_NEAR(loss, scored, 1e-4 * loss);
  expect_gradients(task, model.tgt_tokenizer.pad_id());
  EXPECT_EQ(dynamic_cast<const TranslationModel&>(*task.model).suppressed, model.suppressed);
}

using InitialLanguage = InitialTraining;
INSTANTIATE_TEST_SUITE_P(Of, InitialLanguage, testing::Values("gpt2", "llama", "qwen2"),
                         [](const auto& suite) { return std::string(suite.param); });

TEST_P(InitialLanguage, BeginsWithTheLossAndTheGradientsOfTheModel) {
  LanguageTraining options;
  options.data.train = {file("sources")};
  options.data.batch.batch_tokens = 1;  // a batch for every window
  TrainingTask task = started(options);
  std::int64_t epoch = 0;  // one in which a single window holds the text
  while (epoch < 1000 && task.objective->batches(epoch) > 1) ++epoch;
  ASSERT_EQ(task.objective->batches(epoch), 1);
  const double loss = summed_loss(task, epoch);
  EXPECT_NEAR(loss, golden_.tensor("loss").item(), 1e-4 * loss);

  const LanguageModel model = language_model(*model_);
  const LanguageText text =
      read_language(std::vector<std::string>{file("sources")}, model.tokenizer);
  const double per_token = text_perplexity(model, text, {}).perplexity.per_token();
  EXPECT_NEAR(loss, std::log(per_token) * static_cast<double>(text.targets()), 1e-4 * loss);
  expect_gradients(task, -1);
  EXPECT_EQ(dynamic_cast<const LanguageModel&>(*task.model).first_token, model.first_token);
}

class InitialClassification : public InitialTraining {
 protected:
  // The texts of the record and their labels, pairs in two columns.
  std::string table() const {
    std::ofstream table(folder_ / "texts.tsv");
    const auto texts = parse_json(golden_.metadata().at("sources"), "sources"),
               labels = parse_json(golden_.metadata().at("labels"), "labels");
    for (std::size_t i = 0; i < texts.size(); ++i)
      table << labels[i].get<std::string>() << '\t' << texts[i].get<std::string>() << '\n';
    return file("texts.tsv");
  }
  TrainingTask classification(bool pairs = false) const {
    ClassificationTraining options;
    options.data.train = {table()};
    if (pairs) options.data.columns.second_column = "3";
    return started(options);
  }
};

using InitialClassifiers = InitialClassification;
INSTANTIATE_TEST_SUITE_P(Of, InitialClassifiers,
                         testing::Values("bert_classifier", "distilbert_classifier",
                                         "roberta_classifier"),
                         [](const auto& suite) { return std::string(suite.param); });

TEST_P(InitialClassifiers, BeginWithTheLossAndTheGradientsOfTheModel) {
  TrainingTask task = classification();
  const double loss = summed_loss(task, 0);
  EXPECT_NEAR(loss, golden_.tensor("loss").item(), 1e-4 * loss);
  expect_gradients(task, -1);
  EXPECT_EQ(dynamic_cast<const ClassificationModel&>(*task.model).labels,
            (std::vector<std::string>{"negative", "neutral", "positive"}));
}

// Models for numbers and for several labels, with pairs of texts.
using InitialPairs = InitialClassification;
INSTANTIATE_TEST_SUITE_P(Of, InitialPairs,
                         testing::Values("bert_regression", "roberta_multi_label"),
                         [](const auto& suite) { return std::string(suite.param); });

TEST_P(InitialPairs, BeginWithTheLossAndTheGradientsOfTheModel) {
  TrainingTask task = classification(true);
  EXPECT_EQ(task.notes[0].find("labels:"), std::string::npos) << "the head stays";
  const double loss = summed_loss(task, 0);
  EXPECT_NEAR(loss, golden_.tensor("loss").item(), 1e-4 * loss);
  expect_gradients(task, -1);
}

using InitialTaggers = InitialClassification;
INSTANTIATE_TEST_SUITE_P(Of, InitialTaggers,
                         testing::Values("bert_tagger", "distilbert_tagger", "roberta_tagger"),
                         [](const auto& suite) { return std::string(suite.param); });

TEST_P(InitialTaggers, BeginWithTheLossAndTheGradientsOfTheModel) {
  TaggingTraining options;
  options.data.train = {table()};
  options.data.columns.table = TableFormat::tsv;
  TrainingTask task = started(options);
  const double loss = summed_loss(task, 0);
  EXPECT_NEAR(loss, golden_.tensor("loss").item(), 1e-4 * loss);
  expect_gradients(task, -1);
  EXPECT_EQ(dynamic_cast<const TaggingModel&>(*task.model).labels,
            (std::vector<std::string>{"O", "B-WHO", "I-WHO", "B-WHERE"}));
}

// Ten steps of AdamW on all texts, of the whole model, a part of it and adapters
// (golden_of_training.py --steps=10).
class StepsOfAClassifier : public InitialClassification {
 protected:
  void expect_losses(TrainingTask& task, const char* name) const {
    AdamOptions options;
    options.weight_decay = 0.1f;
    ParameterSet& parameters = task.objective->parameters();
    Adam adam(parameters, options);
    const Tensor expected = record_.tensor(name);
    ASSERT_EQ(expected.size(), 10);
    for (std::int64_t step = 0; step < expected.size(); ++step) {
      ASSERT_EQ(task.objective->batches(0), 1);
      parameters.gradients().zero();
      Pass pass = Pass::inference();
      const BatchLoss loss = task.objective->loss(0, 0, 3.0, pass);
      EXPECT_NEAR(loss.loss.value().item(), expected.data()[step],
                  1e-4 * (1 + expected.data()[step]))
          << name << ", step " << step + 1;
      backward(loss.loss);
      adam.step(0.01f);
    }
    EXPECT_LT(expected.data()[9], 0.95 * expected.data()[0]) << "training that shows nothing";
  }

  const SafetensorsFile record_ =
      SafetensorsFile::open(fixture("models") / GetParam() / "steps.safetensors");
};
INSTANTIATE_TEST_SUITE_P(Of, StepsOfAClassifier, testing::Values("bert_classifier"),
                         [](const auto& suite) { return std::string(suite.param); });

TEST_P(StepsOfAClassifier, HaveTheLossesOfPyTorch) {
  TrainingTask task = classification();
  expect_losses(task, "full");
}

TEST_P(StepsOfAClassifier, HaveTheLossesOfPyTorchWithFrozenLayers) {
  TrainingTask task = classification();
  TrainerOptions options;
  options.freeze = {"embedding.*", "positions.*", "token_types.*", "norm.*", "encoder.layers.0.*"};
  freeze_parameters(task.objective->parameters(), options);
  expect_losses(task, "frozen");
}

TEST_P(StepsOfAClassifier, HaveTheLossesOfPyTorchWithAdapters) {
  ForeignConfig config = ForeignConfig::from_json(directory_.text("config.json"), "config.json");
  const NameMap names = read_bert(directory_, config).names;
  TrainingTask task = classification();
  TrainerOptions options;
  options.low_rank.rank = 2;
  options.low_rank.alpha = 4.0f;
  train_adapters(task, options, *model_, nullptr);
  const ParameterSet& adapters = task.objective->parameters();
  for (const ParameterSet::Entry& entry : adapters.entries()) {
    const std::size_t end = entry.name.size() - 6;  // "lora_a"
    const std::string weight = names.theirs(entry.name.substr(0, end) + "weight").name;
    adapters.value(entry).copy_from(
        record_.tensor(weight.substr(0, weight.size() - 6) + entry.name.substr(end)));
  }
  expect_losses(task, "lora");
}

// With the adapters of the record (golden_of_training.py --lora=2).
class AdaptedClassifier : public InitialClassification {};
INSTANTIATE_TEST_SUITE_P(Of, AdaptedClassifier, testing::Values("bert_classifier"),
                         [](const auto& suite) { return std::string(suite.param); });

TEST_P(AdaptedClassifier, HasTheLossAndTheGradientsOfItsAdapters) {
  const SafetensorsFile record =
      SafetensorsFile::open(fixture("models") / GetParam() / "adapters.safetensors");
  ForeignConfig config = ForeignConfig::from_json(directory_.text("config.json"), "config.json");
  const NameMap names = read_bert(directory_, config).names;
  const auto theirs = [&](const std::string& name) {
    const std::string end = name.substr(name.size() - 6);  // "lora_a"
    const std::string weight = names.theirs(name.substr(0, name.size() - 6) + "weight").name;
    return weight.substr(0, weight.size() - 6) + end;
  };
  TrainingTask task = classification();
  TrainerOptions options;
  options.low_rank.rank = 2;
  options.low_rank.alpha = 4.0f;
  train_adapters(task, options, *model_, nullptr);
  const ParameterSet& adapters = task.objective->parameters();
  EXPECT_EQ(adapters.entries().size(), 8u) << "two matrices of two layers, no new head";
  for (const ParameterSet::Entry& entry : adapters.entries())
    adapters.value(entry).copy_from(record.tensor(theirs(entry.name)));
  const double loss = summed_loss(task, 0);
  EXPECT_NEAR(loss, record.tensor("loss").item(), 1e-4 * loss);
  for (const ParameterSet::Entry& entry : adapters.entries()) {
    const std::vector<float>
        expected = record.tensor(theirs(entry.name) + ".gradient").to_vector(),
        found = adapters.gradients({entry.offset, entry.offset + entry.shape.size()}).to_vector();
    ASSERT_EQ(found.size(), expected.size());
    for (std::size_t i = 0; i < found.size(); ++i)
      ASSERT_NEAR(found[i], expected[i], 2e-4 * (1 + std::abs(expected[i]))) << entry.name;
  }
}

using InitialEmbedders = InitialClassification;
INSTANTIATE_TEST_SUITE_P(Of, InitialEmbedders,
                         testing::Values("bert_sentences", "xlm_roberta_sentences"),
                         [](const auto& suite) { return std::string(suite.param); });

TEST_P(InitialEmbedders, GetANewHeadWithTheLossAndTheGradientsOfTransformers) {
  TrainingTask task = classification();
  const ParameterSet& parameters = task.objective->parameters();
  for (const ParameterSet::Entry& entry : parameters.entries())
    if (is_new(entry))
      parameters.value(entry).copy_from(golden_.tensor("new_head" + entry.name.substr(6)));
  const double loss = summed_loss(task, 0);
  EXPECT_NEAR(loss, golden_.tensor("loss").item(), 1e-4 * loss);
  expect_gradients(task, -1);
  int compared = 0;
  for (const ParameterSet::Entry& entry : parameters.entries()) {
    if (!is_new(entry)) continue;
    const std::vector<float> expected =
        golden_.tensor("new_head" + entry.name.substr(6) + ".gradient").to_vector();
    const std::vector<float> found =
        parameters.gradients()
            .slice_rows(entry.offset, entry.offset + entry.shape.size())
            .to_vector();
    ASSERT_EQ(found.size(), expected.size());
    for (std::size_t i = 0; i < found.size(); ++i) EXPECT_NEAR(found[i], expected[i], 2e-4);
    ++compared;
  }
  EXPECT_EQ(compared, 2);
}

}  // namespace
}  // namespace attend
