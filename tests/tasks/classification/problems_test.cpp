// Classifiers that give several labels, a number, or read pairs: from the files to the answers.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "attend/error.h"
#include "attend/ops/losses/cross_entropy.h"
#include "attend/tasks/classification/engine.h"
#include "attend/tasks/classification/training.h"
#include "attend/tasks/model_file/golden.h"
#include "attend/train/low_rank_objective.h"
#include "attend/train/trainer.h"
#include "checkpoint/test_folder.h"
#include "tasks/small_classifier.h"
#include "tensor/expect_error.h"

namespace attend {
namespace {

// Texts of a few words, with labels that follow from them.
class ClassifierProblems : public FolderTest {
 protected:
  ClassifierProblems() {
    std::string several, numbers, pairs;
    const std::vector<std::string> words{"red", "blue", "old", "house", "car"};
    for (int i = 0; i < 60; ++i) {
      const std::string a = words[static_cast<std::size_t>(i) % 5],
                        b = words[static_cast<std::size_t>(i) / 5 % 5];
      const bool red = a == "red" || b == "red", blue = a == "blue" || b == "blue";
      several += std::string(red ? "warm" : "") + (red && blue ? "," : "") + (blue ? "cold" : "") +
                 "\t" + a + " " + b + "\n";
      numbers += std::to_string((red ? 1.0 : 0.0) - (blue ? 0.5 : 0.0)) + "\t" + a + " " + b + "\n";
      pairs += std::string(a == "red" ? "first" : "other") + "\t" + a + "\t" + b + "\n";
    }
    write(path("several"), several);
    write(path("numbers"), numbers);
    write(path("pairs"), pairs);
  }

  ClassificationTraining options(ProblemType problem, const std::string& file) const {
    ClassificationTraining o;
    o.data.data = folder_.string();
    o.data.train = o.data.valid = {file};
    o.tokenizer.type = TokenizerType::word;
    o.tokenizer.vocab_size = 9;
    o.model.d_model = o.model.d_ff = 16;
    o.model.n_heads = 2;
    o.model.n_encoder_layers = 1;
    o.model.dropout = 0;
    o.model.problem_type = problem;
    o.data.batch.batch_tokens = 60;
    o.trainer.max_steps = 300;
    o.trainer.max_epochs = 0;
    o.trainer.valid_every = o.trainer.save_every = 0;
    o.trainer.schedule.learning_rate = 1e-2f;
    o.trainer.schedule.warmup_steps = 10;
    return o;
  }
  ClassificationTraining of_pairs() const {
    ClassificationTraining o = options(ProblemType::single_label, "pairs");
    o.data.columns.second_column = "3";
    return o;
  }

  ClassificationModel trained(const ClassificationTraining& o) {
    TrainingTask task = prepare_training(o, nullptr);
    Trainer(*task.objective, o.trainer, run_of(task, RunFolder(path("run")), false)).train();
    return load_classification_model(path("run") / "model.safetensors");
  }

  std::filesystem::path trained_file(const ClassificationTraining& o) {
    trained(o);
    return path("run") / "model.safetensors";
  }

  // The mean over the training texts.
  static double training_loss(const TrainingTask& task) {
    double sum = 0, texts = 0;
    for (std::int64_t batch = 0; batch < task.objective->batches(0); ++batch) {
      Pass pass = Pass::inference();
      sum += task.objective->loss(0, batch, 1.0, pass).loss_sum;
      texts += static_cast<double>(task.objective->size(0, batch).targets);
    }
    return sum / texts;
  }
};

TEST_F(ClassifierProblems, OfSeveralLabelsAreLearned) {
  const ClassificationTraining o = options(ProblemType::multi_label, "several");
  const ClassificationEngine classifier(trained(o));
  EXPECT_EQ(classifier.labels(), (std::vector<std::string>{"cold", "warm"}));
  const auto found =
      classifier.classify(std::vector<std::string>{"red blue", "house old", "car red"});
  using Labels = std::vector<std::size_t>;
  EXPECT_EQ(found[0].labels, (Labels{0, 1}));
  EXPECT_EQ(found[1].labels, Labels{});
  EXPECT_EQ(found[2].labels, Labels{1});
  EXPECT_EQ(found[2].label, 1u);
  EXPECT_GT(found[0].probabilities[0] + found[0].probabilities[1], 1.0f) << "each on its own";
  const Validation validation = prepare_training(o, nullptr).objective->validate();
  EXPECT_EQ(validation.metrics[0].first, "micro_f1");
  EXPECT_EQ(validation.score, validation.metrics[0].second);
}

TEST_F(ClassifierProblems, OfNumbersAreLearned) {
  const ClassificationTraining o = options(ProblemType::regression, "numbers");
  const ClassificationEngine classifier(trained(o));
  EXPECT_EQ(classifier.labels(), std::vector<std::string>{"score"});
  const auto found =
      classifier.classify(std::vector<std::string>{"red old", "blue car", "house old"});
  EXPECT_NEAR(found[0].value, 1.0f, 0.25f);
  EXPECT_NEAR(found[1].value, -0.5f, 0.25f);
  EXPECT_TRUE(found[2].probabilities.empty());
  const Validation validation = prepare_training(o, nullptr).objective->validate();
  EXPECT_EQ(validation.metrics[0].first, "spearman");
  EXPECT_EQ(validation.metrics[2].first, "mse");
  EXPECT_NEAR(validation.metrics[2].second, validation.loss, 1e-6);
}

TEST_F(ClassifierProblems, MeasureErrorsByTheLargestNumber) {
  write(path("large"), "30\tred old\n-40\tblue car\n0.5\told house\n");
  const auto largest = [&](const ClassificationTraining& o) {
    auto objective = prepare_training(o, nullptr).objective;
    const double own = objective->largest_error();
    const LowRankObjective adapted(std::move(objective), {.rank = 1}, {}, 1);
    EXPECT_EQ(adapted.largest_error(), own);
    return own;
  };
  EXPECT_EQ(largest(options(ProblemType::regression, "large")), 1600);
  EXPECT_EQ(largest(options(ProblemType::regression, "numbers")), 1);
  EXPECT_EQ(largest(options(ProblemType::multi_label, "several")), 1) << "nats";
}

TEST_F(ClassifierProblems, OfPairsAreLearned) {
  const ClassificationModel model = trained(of_pairs());
  EXPECT_TRUE(model.pairs);
  const ClassificationEngine classifier(model);
  const auto found = classifier.classify(std::vector<std::string>{"red\tcar", "car\tred"});
  EXPECT_EQ(classifier.labels()[found[0].label], "first");
  EXPECT_EQ(classifier.labels()[found[1].label], "other");
  expect_error<LineError>([&] { classifier.classify(std::vector<std::string>{"car red"}); },
                          {"text 1: expected a pair of texts with a tab between, found 0 tabs"});
}

TEST_F(ClassifierProblems, GiveTheLabelsFromTheThresholdOn) {
  const ClassificationEngine classifier(small_classifier_for(ProblemType::multi_label));
  const auto labels = [&](float threshold) {
    return classifier.classify(kFilms.texts, {.threshold = threshold})[0].labels;
  };
  EXPECT_EQ(labels(0.0f).size(), 3u);
  EXPECT_TRUE(labels(1.0f).empty());
  const Classification found = classifier.classify(kFilms.texts)[0];
  EXPECT_EQ(labels(found.probability()), std::vector<std::size_t>{found.label});
}

TEST_F(ClassifierProblems, ReadAPairWhereItIsAskedFor) {
  const ClassificationModel model = small_classifier();
  const ClassificationEngine classifier(model);
  const std::vector<std::string> texts{"a good film\tso good"};
  const Classification pair = classifier.classify(texts, {.pairs = true})[0];
  EXPECT_NE(pair.probabilities, classifier.classify(texts)[0].probabilities);
  ClassificationModel of_pairs = model;
  of_pairs.pairs = true;
  EXPECT_EQ(pair.probabilities, ClassificationEngine(of_pairs).classify(texts)[0].probabilities);
}

// Losses of a model with known logits: the formulas by hand.
TEST_F(ClassifierProblems, LoseWhatTheirFormulasSay) {
  for (const ProblemType problem : {ProblemType::multi_label, ProblemType::regression}) {
    const ClassificationModel model = small_classifier_for(problem);
    LabeledText texts{model.labels, {"a good film", "bad"}, {}};
    texts.targets = problem == ProblemType::regression ? std::vector<float>{1.5f, -2}
                                                       : std::vector<float>{1, 0, 1, 0, 0, 1};
    LabeledReport report;
    ClassificationObjective objective(
        model, {encode_labeled(texts, model.tokenizer, model.format(), report), {1000}, {}}, {},
        std::nullopt);
    Pass pass = Pass::inference();
    const BatchLoss loss = objective.loss(0, 0, 2.0, pass);
    double expected = 0;
    const std::size_t width = model.labels.size();
    for (std::size_t i = 0; i < 2; ++i) {
      const std::vector<float> outputs =
          model.logits(Ragged::one(model.ids(texts.texts[i])), pass).value().to_vector();
      for (std::size_t c = 0; c < width; ++c) {
        const double x = outputs[c], y = texts.targets[i * width + c];
        expected += problem == ProblemType::regression
                        ? (x - y) * (x - y)
                        : std::log1p(std::exp(y > 0.5 ? -x : x)) / static_cast<double>(width);
      }
    }
    EXPECT_NEAR(loss.loss_sum, expected, 1e-5);
    EXPECT_NEAR(loss.nll_sum, expected, 1e-5);
    EXPECT_NEAR(loss.loss.value().item(), expected / 2, 1e-5);
  }
}

TEST_F(ClassifierProblems, DropNoMarkBetweenTheTextsOfAPair) {
  ClassificationTraining o = of_pairs();
  o.loss.word_dropout = 0.9999f;
  TrainingTask task = prepare_training(o, nullptr);
  const auto& model = dynamic_cast<const ClassificationModel&>(*task.model);
  Pass pass = Pass::inference(), dropping = Pass::training(1, 1);
  const ClassificationBatch whole = [&] {
    LabeledText texts{model.labels, {"red\tred"}, {0}};
    LabeledReport report;
    return encode_labeled(texts, model.tokenizer, model.format(), report);
  }();
  ClassificationObjective objective(model, {whole, {1000}, {}}, {.word_dropout = 0.9999f},
                                    std::nullopt);
  const std::vector<std::int32_t> ids = model.ids("red\tred");  // red eos red eos
  ASSERT_EQ(ids.size(), 4u);
  const Ragged left = Ragged::one(std::vector<std::int32_t>{ids[0], ids[1], ids[3]});
  const double expected =
      cross_entropy(model.logits(left, pass), {0}, {.normalizer = 1.0}).loss_sum;
  EXPECT_NEAR(objective.loss(0, 0, 1.0, dropping).loss_sum, expected, 1e-5);
}

TEST_F(ClassifierProblems, KeepAHeadOfTheSameLabelsInAnotherOrder) {
  const auto file = trained_file(options(ProblemType::multi_label, "several"));
  const auto initial = std::make_shared<const Checkpoint>(load_checkpoint(file));
  ClassificationTraining o = options(ProblemType::multi_label, "several");
  adopt_model(o, *initial);
  o.initial = initial;
  const TrainingTask kept = prepare_training(o, nullptr);
  const double expected = kept.objective->validate().loss;
  EXPECT_LT(expected, 0.2) << "what was learned is kept";
  // The same file with the two labels, and what belongs to them, the other way around.
  Checkpoint turned = *initial;
  turned.metadata["attend.labels"] = R"(["warm","cold"])";
  for (NamedTensor& tensor : turned.tensors) {
    if (!tensor.name.starts_with("output.")) continue;
    std::vector<float> values = tensor.tensor.to_vector();
    std::rotate(values.begin(), values.begin() + std::ssize(values) / 2, values.end());
    tensor.tensor = Tensor::from(values, tensor.tensor.shape());
  }
  o.initial = std::make_shared<const Checkpoint>(turned);
  const TrainingTask task = prepare_training(o, nullptr);
  EXPECT_NEAR(task.objective->validate().loss, expected, 1e-6);
  EXPECT_NEAR(training_loss(task), expected, 1e-5) << "the training is on the same texts";
}

TEST_F(ClassifierProblems, KeepAHeadOfWhoseLabelsOnlySomeOccur) {
  const auto file = trained_file(options(ProblemType::multi_label, "several"));
  write(path("fewer"), "warm\tred old\n\thouse car\nwarm\tcar red\n");
  ClassificationTraining o = options(ProblemType::multi_label, "fewer");
  o.initial = std::make_shared<const Checkpoint>(load_checkpoint(file));
  adopt_model(o, *o.initial);
  const TrainingTask task = prepare_training(o, nullptr);
  EXPECT_EQ(dynamic_cast<const ClassificationModel&>(*task.model).labels,
            (std::vector<std::string>{"cold", "warm"}));
  const double loss = task.objective->validate().loss;
  EXPECT_LT(loss, 0.2) << "what was learned is kept";
  EXPECT_NEAR(training_loss(task), loss, 1e-5);
}

TEST_F(ClassifierProblems, GetANewHeadFromAModelForAnother) {
  const auto file = trained_file(options(ProblemType::multi_label, "several"));
  ClassificationTraining o = options(ProblemType::regression, "numbers");
  o.initial = std::make_shared<const Checkpoint>(load_checkpoint(file));
  const TrainingTask task = prepare_training(o, nullptr);
  EXPECT_EQ(task.notes[0], "labels: they differ from the model's and get a new output layer");
  const auto& model = dynamic_cast<const ClassificationModel&>(*task.model);
  EXPECT_EQ(model.problem_type(), ProblemType::regression);
  // Even where the labels have the same names.
  write(path("single"), "warm\tred old\ncold\tblue car\nwarm\tred car\n");
  ClassificationTraining single = options(ProblemType::single_label, "single");
  single.initial = o.initial;
  EXPECT_EQ(prepare_training(single, nullptr).notes[0],
            "labels: they differ from the model's and get a new output layer");
}

TEST_F(ClassifierProblems, ResumeToTheSameBytes) {
  for (const auto& [problem, file] :
       {std::pair{ProblemType::multi_label, "several"}, {ProblemType::regression, "numbers"}}) {
    ClassificationTraining o = options(problem, file);
    o.model.dropout = 0.1f;
    o.trainer.max_steps = 6;
    o.trainer.save_every = 3;
    const auto run = [&](const std::string& name, bool resume) {
      const Checkpoint before =
          resume ? load_checkpoint(path(name) / "checkpoints/step-00000003.safetensors")
                 : Checkpoint();
      TrainingTask task = prepare_training(o, resume ? &before : nullptr);
      Trainer(*task.objective, o.trainer, run_of(task, RunFolder(path(name)), resume)).train();
    };
    const std::string name = file;
    run("whole" + name, false);
    run("parts" + name, false);
    std::filesystem::remove(path("parts" + name) / "checkpoints/step-00000006.safetensors");
    run("parts" + name, true);
    EXPECT_EQ(read(path("parts" + name) / "model.safetensors"),
              read(path("whole" + name) / "model.safetensors"));
  }
}

TEST_F(ClassifierProblems, AreCheckedBeforeAnythingIsTrained) {
  const auto refuse = [&](ClassificationTraining o,
                          std::initializer_list<std::string_view> fragments) {
    expect_error<Error>([&] { prepare_training(o, nullptr); }, fragments);
  };
  refuse(options(ProblemType::regression, "several"), {"several:1: expected a number"});
  ClassificationTraining weighed = options(ProblemType::multi_label, "several");
  weighed.loss.class_weights = {"balanced"};
  refuse(weighed, {"class_weights", "multi_label"});
  ClassificationTraining smoothed = options(ProblemType::regression, "numbers");
  smoothed.loss.label_smoothing = 0.1f;
  refuse(smoothed, {"label_smoothing", "regression"});
  ClassificationTraining by_accuracy = options(ProblemType::regression, "numbers");
  by_accuracy.data.best_by = ClassificationScore::accuracy;
  refuse(by_accuracy, {"best_by: accuracy is no score of regression", "spearman, pearson"});
  ClassificationTraining too_short = of_pairs();
  too_short.data.length.max_length = 3;
  refuse(too_short, {"max_length is 3", "a pair"});
}

TEST_F(ClassifierProblems, AreThoseOfTheResumedModel) {
  const auto file = trained_file(of_pairs());
  const Checkpoint checkpoint = load_checkpoint(file);
  ClassificationTraining single = of_pairs();
  single.data.columns.second_column.clear();
  expect_error<ConfigError>([&] { prepare_training(single, &checkpoint); },
                            {"second_column", "pairs of texts"});
  ClassificationTraining other = of_pairs();
  other.model.separators = 2;
  expect_error<ConfigError>([&] { prepare_training(other, &checkpoint); }, {"separators was 1"});
}

TEST_F(ClassifierProblems, HaveGoldenSamples) {
  for (const ProblemType problem : {ProblemType::multi_label, ProblemType::regression}) {
    const ClassificationModel model = small_classifier_for(problem);
    const Checkpoint file = finished_checkpoint_of(model);
    EXPECT_NE(file.text(kGoldenKey)
                  .find(problem == ProblemType::regression ? "\"values\"" : "log_probabilities"),
              std::string::npos);
    EXPECT_TRUE(check_golden_samples(model, golden_samples(file, model)).holds());
  }
}

}  // namespace
}  // namespace attend
