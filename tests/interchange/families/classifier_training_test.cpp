// Training that starts from imported classifiers and embedding models, over several steps, with
// adapters or a new head: what transformers computes (tools/golden_of_training.py).
#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "attend/optim/adam.h"
#include "attend/tasks/model_file/adapter.h"
#include "attend/tasks/training/training_task.h"
#include "interchange/families/trained_fixture.h"

namespace attend {
namespace {

// Ten steps of AdamW on all texts, of the whole model, a part of it and adapters
// (golden_of_training.py --steps=10).
class StepsOfAClassifier : public TrainedFixture {
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

  const SafetensorsFile record_ = SafetensorsFile::open(GetParam().folder() / "steps.safetensors");
};
INSTANTIATE_TEST_SUITE_P(Of, StepsOfAClassifier,
                         testing::ValuesIn(fixtures_with("steps.safetensors")), name_of_fixture);

TEST_P(StepsOfAClassifier, HaveTheLossesOfPyTorch) {
  TrainingTask task = started();
  expect_losses(task, "full");
}

TEST_P(StepsOfAClassifier, HaveTheLossesOfPyTorchWithFrozenLayers) {
  TrainingTask task = started();
  TrainerOptions options;
  options.freeze = {"embedding.*", "positions.*", "token_types.*", "norm.*", "encoder.layers.0.*"};
  freeze_parameters(task.objective->parameters(), options);
  expect_losses(task, "frozen");
}

TEST_P(StepsOfAClassifier, HaveTheLossesOfPyTorchWithAdapters) {
  const NameMap all_names = names();
  TrainingTask task = started();
  TrainerOptions options;
  options.low_rank.rank = 2;
  options.low_rank.alpha = 4.0f;
  train_adapters(task, options, *model_, nullptr);
  const ParameterSet& adapters = task.objective->parameters();
  for (const ParameterSet::Entry& entry : adapters.entries()) {
    const std::size_t end = entry.name.size() - 6;  // "lora_a"
    const std::string weight = all_names.theirs(entry.name.substr(0, end) + "weight").name;
    adapters.value(entry).copy_from(
        record_.tensor(weight.substr(0, weight.size() - 6) + entry.name.substr(end)));
  }
  expect_losses(task, "lora");
}

// With the adapters of the record (golden_of_training.py --lora=2).
using AdaptedClassifier = TrainedFixture;
INSTANTIATE_TEST_SUITE_P(Of, AdaptedClassifier,
                         testing::ValuesIn(fixtures_with("adapters.safetensors")), name_of_fixture);

TEST_P(AdaptedClassifier, HasTheLossAndTheGradientsOfItsAdapters) {
  const SafetensorsFile record =
      SafetensorsFile::open(GetParam().folder() / "adapters.safetensors");
  const NameMap all_names = names();
  const auto theirs = [&](const std::string& name) {
    const std::string end = name.substr(name.size() - 6);  // "lora_a"
    const std::string weight = all_names.theirs(name.substr(0, name.size() - 6) + "weight").name;
    return weight.substr(0, weight.size() - 6) + end;
  };
  TrainingTask task = started();
  TrainerOptions options;
  options.low_rank.rank = 2;
  options.low_rank.alpha = 4.0f;
  train_adapters(task, options, *model_, nullptr);
  const ParameterSet& adapters = task.objective->parameters();
  EXPECT_EQ(adapters.entries().size(), 8u) << "two matrices of two layers, no new head";
  for (const ParameterSet::Entry& entry : adapters.entries())
    adapters.value(entry).copy_from(record.tensor(theirs(entry.name)));
  const double loss = summed_loss(task);
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

// The record of an embedding model has a new head and its gradients.
using EmbedderWithANewHead = TrainedFixture;
INSTANTIATE_TEST_SUITE_P(
    Of, EmbedderWithANewHead,
    testing::Values(FamilyFixture{"qwen3_sentences"}, FamilyFixture{"mistral_sentences"},
                    FamilyFixture{"embedding_gemma_sentences"}, FamilyFixture{"bert_sentences"},
                    FamilyFixture{"bert_dense"}, FamilyFixture{"xlm_roberta_sentences"},
                    FamilyFixture{"mpnet_sentences"}, FamilyFixture{"camembert_sentences"},
                    FamilyFixture{"albert_sentences"}, FamilyFixture{"nomic_bert_sentences"},
                    FamilyFixture{"modernbert_sentences"}, FamilyFixture{"gte_sentences"},
                    FamilyFixture{"deberta_sentences"}),
    name_of_fixture);

TEST_P(EmbedderWithANewHead, HasTheGradientsOfTransformersInItsHead) {
  TrainingTask task = started();
  const ParameterSet& parameters = task.objective->parameters();
  const auto recorded_as = [](const ParameterSet::Entry& entry) {
    return "new_head" + entry.name.substr(6);  // "output"
  };
  for (const ParameterSet::Entry& entry : parameters.entries())
    if (is_new(entry)) parameters.value(entry).copy_from(golden_.tensor(recorded_as(entry)));
  summed_loss(task);
  int compared = 0;
  for (const ParameterSet::Entry& entry : parameters.entries()) {
    if (!is_new(entry)) continue;
    const std::vector<float> expected =
                                 golden_.tensor(recorded_as(entry) + ".gradient").to_vector(),
                             found = gradient_of(parameters, entry).to_vector();
    ASSERT_EQ(found.size(), expected.size());
    for (std::size_t i = 0; i < found.size(); ++i) EXPECT_NEAR(found[i], expected[i], 2e-4);
    ++compared;
  }
  EXPECT_EQ(compared, 2);
}

}  // namespace
}  // namespace attend
