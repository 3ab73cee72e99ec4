// Training of an imported embedder: every loss, its gradients and ten steps of Adam are those of
// PyTorch (tools/golden_of_embedding.py).
#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <functional>
#include <nlohmann/json.hpp>
#include <string>

#include "attend/core/json/json.h"
#include "attend/interchange/families/families.h"
#include "attend/interchange/foreign_model.h"
#include "attend/tasks/embedding/training.h"
#include "interchange/fixtures.h"

namespace attend {
namespace {

struct EmbeddingLossCase {
  const char* name;
  std::function<void(EmbeddingTraining&)> set;
};

class TrainedEmbedder : public testing::TestWithParam<EmbeddingLossCase> {
 protected:
  TrainedEmbedder()
      : directory_(fixture("models") / "bert_sentences"),
        golden_(SafetensorsFile::open(directory_.file("embedding.safetensors"))),
        model_(std::make_shared<const Checkpoint>(import_model(directory_).checkpoint)) {
    std::filesystem::create_directories(folder_);
    std::ofstream table(folder_ / "train.jsonl");
    for (const auto& triplet : parse_json(golden_.metadata().at("triplets"), "triplets"))
      table << nlohmann::json{{"anchor", triplet[0]},
                              {"positive", triplet[1]},
                              {"negative", triplet[2]}}
            << '\n';
  }
  ~TrainedEmbedder() override { std::filesystem::remove_all(folder_); }

  EmbeddingTraining options() const {
    EmbeddingTraining options;
    options.data.train = {(folder_ / "train.jsonl").string()};
    options.trainer.schedule = {.kind = ScheduleKind::constant,
                                .learning_rate = 1e-3f,
                                .warmup_steps = 0,
                                .min_learning_rate = 0};
    adopt_model(options, *model_);
    options.model.dropout = options.model.attention_dropout = 0;
    options.initial = model_;
    GetParam().set(options);
    return options;
  }
  Tensor golden(const std::string& name) const {
    return golden_.tensor(GetParam().name + ("." + name));
  }

  // The gradients under the names of transformers.
  std::vector<NamedTensor> gradients(const ParameterSet& parameters) const {
    ForeignConfig config = ForeignConfig::from_json(directory_.text("config.json"), "config.json");
    const NameMap names = read_bert(directory_, config).names;
    ForeignTensors tensors;
    for (const ParameterSet::Entry& entry : parameters.entries())
      tensors.add(names.theirs(entry.name),
                  parameters.gradients({entry.offset, entry.offset + entry.shape.size()})
                      .reshape(entry.shape)
                      .clone());
    return tensors.finish();
  }

  const std::filesystem::path folder_ = scratch("trained_embedder");
  const ModelDirectory directory_;
  const SafetensorsFile golden_;
  const std::shared_ptr<const Checkpoint> model_;
};

INSTANTIATE_TEST_SUITE_P(
    Of, TrainedEmbedder,
    testing::Values(EmbeddingLossCase{"pairs", [](EmbeddingTraining&) {}},
                    EmbeddingLossCase{"symmetric",
                                      [](EmbeddingTraining& o) { o.loss.symmetric = true; }},
                    EmbeddingLossCase{"triplets",
                                      [](EmbeddingTraining& o) {
                                        o.data.columns.relation = TextRelation::triplets;
                                      }},
                    EmbeddingLossCase{"widths",
                                      [](EmbeddingTraining& o) {
                                        o.data.columns.relation = TextRelation::triplets;
                                        o.loss.symmetric = true;
                                        o.loss.matryoshka = {"8", "4"};
                                      }}),
    [](const auto& suite) { return std::string(suite.param.name); });

TEST_P(TrainedEmbedder, BeginsWithTheLossAndTheGradientsOfPyTorch) {
  TrainingTask task = prepare_training(options(), nullptr);
  ASSERT_EQ(task.objective->batches(0), 1);
  Pass pass = Pass::inference();
  const BatchLoss loss = task.objective->loss(0, 0, 1.0, pass);
  backward(loss.loss);
  const double sum = loss.loss_sum;
  EXPECT_NEAR(sum, golden("loss").item(), 1e-4 * sum);
  std::size_t compared = 0;
  for (const NamedTensor& gradient : gradients(task.objective->parameters())) {
    const std::vector<float> expected = golden(gradient.name).to_vector(),
                             values = gradient.tensor.to_vector(),
                             numbers = ramp(static_cast<int>(values.size()));
    double squares = 0, products = 0;
    for (std::size_t i = 0; i < values.size(); ++i) {
      squares += double{values[i]} * values[i];
      products += double{values[i]} * numbers[i];
    }
    const double scale = 1 + std::sqrt(squares);
    EXPECT_NEAR(squares, expected[0], 2e-4 * scale * scale) << gradient.name;
    EXPECT_NEAR(products, expected[1], 1e-3 * scale) << gradient.name;
    ++compared;
  }
  EXPECT_EQ(4 * (compared + 2), golden_.entries().size()) << "of four losses, with their steps";
}

TEST_P(TrainedEmbedder, HasTheLossesOfTenStepsOfPyTorch) {
  const EmbeddingTraining o = options();
  TrainingTask task = prepare_training(o, nullptr);
  Trainer trainer(*task.objective, o.trainer, run_of(task, RunFolder(folder_ / "run"), false));
  for (const float expected : golden("steps").to_vector())
    EXPECT_NEAR(trainer.update().loss, expected, 1e-3 * expected) << trainer.step();
  EXPECT_EQ(trainer.step(), 10);
}

}  // namespace
}  // namespace attend
