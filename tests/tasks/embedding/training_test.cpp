#include "attend/tasks/embedding/training.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "attend/checkpoint/finite.h"
#include "attend/checkpoint/parameters.h"
#include "attend/tasks/model_file/registry.h"
#include "checkpoint/test_folder.h"
#include "tasks/small_classifier.h"
#include "tasks/small_embedder.h"
#include "tasks/small_language.h"
#include "tasks/small_tagger.h"
#include "tensor/expect_error.h"

namespace attend {
namespace {

class EmbeddingTrainings : public FolderTest {
 protected:
  EmbeddingTrainings() {
    write(path("pairs"),
          "a good film\tso good\na bad film\tnot good\nthe film is fine\tgood and fine\n"
          "good and bad\tthe film is bad\na good film\tthe good film\n");
    write(path("labeled"),
          "good\ta good film\nbad\ta bad film\ngood\tso good\nbad\tnot good\nfine\tfine\n"
          "good\tthe good film\n");
    write(path("triplets"), "a good film\tso good\tnot good\na bad film\tnot good\tso good\n");
    write(path("scored"),
          "a good film\tso good\t5\na good film\tnot good\t1\na bad film\tnot good\t4\n");
    options_.data.data = folder_.string();
    options_.data.train = {"pairs"};
    options_.tokenizer.type = TokenizerType::word;
    options_.tokenizer.vocab_size = 14;
    options_.model.d_model = options_.model.d_ff = 16;
    options_.model.n_heads = 2;
    options_.model.dropout = 0;
  }

  TrainingTask prepared() const { return prepare_training(options_, nullptr); }
  static const EmbeddingModel& model_of(const TrainingTask& task) {
    return dynamic_cast<const EmbeddingModel&>(*task.model);
  }
  static double first_loss(TrainingTask& task) {
    Pass pass = Pass::inference();
    return task.objective->loss(0, 0, 1.0, pass).loss_sum;
  }
  // Validates with two of the metrics that have other values.
  Validation validated(EmbeddingScore best_by) {
    options_.data.best_by = best_by;
    return prepared().objective->validate();
  }
  void start_from(const SavedModel& model) {
    Checkpoint file = checkpoint_of(model);
    file.source = "the initial model";
    adopt_model(options_, file);
    options_.initial = std::make_shared<const Checkpoint>(std::move(file));
  }

  EmbeddingTraining options_;
};

TEST_F(EmbeddingTrainings, CountPairsAndTheTokensOfTheirTexts) {
  const TrainingTask task = prepared();
  EXPECT_EQ(task.name, "embedding");
  EXPECT_EQ(task.objective->unit(), "pairs");
  EXPECT_EQ(task.objective->size(0, 0).targets, 5);
  const EmbeddingModel& model = model_of(task);
  std::int64_t tokens = 0;
  for (const char* text :
       {"a good film", "so good", "a bad film", "not good", "the film is fine", "good and fine",
        "good and bad", "the film is bad", "a good film", "the good film"})
    tokens += std::ssize(model.ids(text));
  EXPECT_EQ(task.objective->size(0, 0).sources, tokens);
  EXPECT_FALSE(task.objective->can_validate());
  EXPECT_NE(task.notes.back().find("training: 5 pairs of 9 texts"), std::string::npos)
      << task.notes.back();
}

TEST_F(EmbeddingTrainings, DivideTheLossByTheNormalizer) {
  TrainingTask task = prepared();
  Pass pass = Pass::inference();
  const BatchLoss loss = task.objective->loss(0, 0, 8.0, pass);
  EXPECT_NEAR(loss.loss.value().item(), loss.loss_sum / 8, 1e-6);
  EXPECT_NEAR(loss.loss_sum, loss.nll_sum, 1e-5);
}

TEST_F(EmbeddingTrainings, LearnToTellTextsApart) {
  options_.data.valid = {"pairs"};
  options_.trainer.max_steps = 60;
  options_.trainer.schedule.warmup_steps = 5;
  options_.trainer.schedule.learning_rate = 5e-3f;
  TrainingTask task = prepared();
  const Validation before = task.objective->validate();
  Trainer trainer(*task.objective, options_.trainer, run_of(task, RunFolder(path("run")), false));
  for (int step = 0; step < 60; ++step) trainer.update();
  const Validation after = task.objective->validate();
  EXPECT_LT(after.loss, 0.3 * before.loss);
  EXPECT_GT(after.score, 0.95);
  EXPECT_GT(after.score, before.score);
}

TEST_F(EmbeddingTrainings, TakeTripletsAndLabeledTexts) {
  options_.tokenizer.vocab_size = 10;
  options_.data.train = {"triplets"};
  options_.data.columns.relation = TextRelation::triplets;
  TrainingTask triplets = prepared();
  EXPECT_NE(triplets.notes.back().find("training: 2 triplets of 4 texts"), std::string::npos)
      << triplets.notes.back();
  options_.data.columns.relation = TextRelation::pairs;
  TrainingTask pairs = prepared();
  EXPECT_GT(first_loss(triplets), first_loss(pairs)) << "with more wrong answers";
  options_.data.columns.relation = TextRelation::labeled;
  options_.data.train = {"labeled"};
  EXPECT_EQ(prepared().objective->size(0, 0).targets, 3);
}

TEST_F(EmbeddingTrainings, ValidateByRetrieval) {
  options_.data.valid = {"pairs"};
  const Validation found = validated(EmbeddingScore::by_data);
  ASSERT_EQ(found.metrics.size(), 4u);
  EXPECT_EQ(found.metrics[0].first, "recall_at_1");
  EXPECT_EQ(found.metrics[3].first, "ndcg_at_10");
  EXPECT_EQ(found.score, found.metrics[3].second);
  EXPECT_EQ(validated(EmbeddingScore::ndcg).score, found.metrics[3].second);
  EXPECT_EQ(validated(EmbeddingScore::mrr).score, found.metrics[2].second);
  EXPECT_EQ(validated(EmbeddingScore::recall).score, found.metrics[0].second);
  EXPECT_EQ(validated(EmbeddingScore::loss).score, -found.loss);
  TrainingTask task = prepared();
  EXPECT_NEAR(found.loss, first_loss(task) / 5, 1e-5) << "of the same pairs in one batch";
}

TEST_F(EmbeddingTrainings, ValidateByTheCorrelationWithScores) {
  options_.data.valid_scored = {"scored"};
  const Validation alone = validated(EmbeddingScore::by_data);
  ASSERT_EQ(alone.metrics.size(), 1u);
  EXPECT_EQ(alone.metrics[0].first, "spearman");
  EXPECT_EQ(alone.score, alone.metrics[0].second);
  EXPECT_EQ(alone.loss, 1 - alone.score);
  options_.data.valid = {"pairs"};
  const Validation both = validated(EmbeddingScore::spearman);
  ASSERT_EQ(both.metrics.size(), 5u);
  EXPECT_EQ(both.score, alone.score);
  EXPECT_EQ(validated(EmbeddingScore::by_data).score, both.metrics[3].second);
}

// Encoded a few at a time, texts have the same vectors.
TEST_F(EmbeddingTrainings, ValidateInBatches) {
  options_.data.valid_scored = {"scored"};
  const double whole = validated(EmbeddingScore::by_data).loss;
  options_.data.batch.batch_tokens = 22;
  EXPECT_EQ(validated(EmbeddingScore::by_data).loss, whole);
}

TEST_F(EmbeddingTrainings, ReportNumbersThatAreNotFinite) {
  options_.data.valid = {"pairs"};
  const TrainingTask task = prepared();
  for (float& value : task.objective->parameters().values().span())
    value = std::numeric_limits<float>::quiet_NaN();
  EXPECT_THROW(task.objective->validate(), NotFiniteError);
}

TEST_F(EmbeddingTrainings, StartFromAnEmbedderWithItsPrompts) {
  EmbeddingModel embedder = small_embedder();
  embedder.prompts.usual = "query";
  start_from(embedder);
  const TrainingTask task = prepared();
  EXPECT_EQ(model_of(task).prompts.usual, "query");
  EXPECT_EQ(model_of(task).length.max_length, 9);
  EXPECT_EQ(task.objective->parameters().values().to_vector(),
            embedder.parameters().values().to_vector());
  const std::int64_t with = task.objective->size(0, 0).sources;
  embedder.prompts.usual = "passage";  // an empty text
  start_from(embedder);
  EXPECT_EQ(with, prepared().objective->size(0, 0).sources + 10) << "a token more for every text";
}

TEST_F(EmbeddingTrainings, LeavePoolingAndNormalizationOpen) {
  const OpenOptions open = adopt_model(options_, checkpoint_of(small_embedder()));
  EXPECT_EQ(open, (OpenOptions{"pooling", "normalize"}));
  EXPECT_TRUE(options_.model.normalize);
  adopt_model(options_, checkpoint_of(small_embedder(Pooling::first, false)));
  EXPECT_EQ(options_.model.pooling, Pooling::first);
  EXPECT_FALSE(options_.model.normalize);
}

TEST_F(EmbeddingTrainings, StartFromAClassifierWithoutItsHead) {
  const ClassificationModel classifier = small_classifier(Pooling::mean);
  start_from(classifier);
  const TrainingTask task = prepared();
  EXPECT_EQ(model_of(task).network->config().pooling, Pooling::mean);
  const Checkpoint before = checkpoint_of(classifier), after = checkpoint_of(*task.model);
  std::size_t same = 0;
  for (const ParameterSet::Entry& entry : task.objective->parameters().entries()) {
    EXPECT_EQ(after.tensor(entry.name).to_vector(), before.tensor(entry.name).to_vector());
    ++same;
  }
  EXPECT_EQ(same + 2, classifier.parameters().entries().size()) << "but the output layer";
}

TEST_F(EmbeddingTrainings, StartFromATaggerWithoutItsOutputLayer) {
  const TaggingModel tagger = small_tagger();
  start_from(tagger);
  const TrainingTask task = prepared();
  EXPECT_EQ(model_of(task).tokenizer.bytes(), tagger.tokenizer.bytes());
  EXPECT_EQ(model_of(task).length.max_length, tagger.length.max_length);
  const Checkpoint before = checkpoint_of(tagger), after = checkpoint_of(*task.model);
  const auto& kept = task.objective->parameters().entries();
  for (const ParameterSet::Entry& entry : kept)
    EXPECT_EQ(after.tensor(entry.name).to_vector(), before.tensor(entry.name).to_vector());
  EXPECT_EQ(kept.size() + 2, tagger.parameters().entries().size()) << "but the output layer";
}

TEST_F(EmbeddingTrainings, DoNotStartFromOtherModels) {
  Checkpoint model = checkpoint_of(small_language_model());
  model.source = "lm";
  expect_error<DataError>([&] { adopt_model(options_, model); },
                          {"lm: expected a model for embedding or classification", "language"});
}

TEST_F(EmbeddingTrainings, RefuseWhatTheyCannotDo) {
  const auto refused = [&](const auto& change, std::initializer_list<std::string_view> parts) {
    EmbeddingTraining options = options_;
    change(options);
    expect_error<ConfigError>([&] { prepare_training(options, nullptr); }, parts);
  };
  refused([](EmbeddingTraining& o) { o.data.train = {}; }, {"train"});
  for (const char* width : {"16", "17", "0", "x"})
    refused([&](EmbeddingTraining& o) { o.loss.matryoshka = {width}; }, {"matryoshka", width});
  refused([](EmbeddingTraining& o) { o.loss.matryoshka = {"8", "8"}; }, {"matryoshka", "twice"});
  refused([](EmbeddingTraining& o) { o.loss.temperature = 0; }, {"temperature"});
  refused(
      [](EmbeddingTraining& o) {
        o.data.valid = {"pairs"};
        o.data.best_by = EmbeddingScore::spearman;
      },
      {"best_by", "valid_scored"});
  refused(
      [](EmbeddingTraining& o) {
        o.data.valid_scored = {"scored"};
        o.data.best_by = EmbeddingScore::mrr;
      },
      {"best_by", "valid"});
  refused([](EmbeddingTraining& o) { o.data.batch.batch_tokens = 1; },
          {"batch_tokens", "two pairs", "in 1 token;"});
  options_.data.valid = {"missing"};
  EXPECT_THROW(prepared(), IoError);
}

TEST_F(EmbeddingTrainings, ResumeOnlyTheSameModel) {
  const TrainingTask task = prepared();
  Checkpoint checkpoint;
  add_parameters(checkpoint, task.objective->parameters(), task.objective->parameters().values());
  task.model->describe(checkpoint);
  EXPECT_EQ(model_of(prepare_training(options_, &checkpoint)).tokenizer.bytes(),
            model_of(task).tokenizer.bytes());
  options_.model.normalize = false;
  expect_error<ConfigError>([&] { prepare_training(options_, &checkpoint); },
                            {"resume", "normalize was true, is false"});
  options_.model.normalize = true;
  options_.data.length.max_length = 5;
  expect_error<ConfigError>([&] { prepare_training(options_, &checkpoint); },
                            {"resume", "max-length was 256, is 5"});
}

}  // namespace
}  // namespace attend
