// Training that starts from the model of a fixture, beside what transformers computes in a step
// (tools/golden_of_training.py).
#pragma once

#include <gtest/gtest.h>

#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "attend/interchange/foreign_model.h"
#include "attend/tasks/training/training_task.h"
#include "interchange/families/family_fixtures.h"
#include "interchange/fixtures.h"

namespace attend {

class TrainedFixture : public testing::TestWithParam<FamilyFixture> {
 protected:
  TrainedFixture();
  ~TrainedFixture() override;

  // The texts of the record, their translations or labels, as JSON and as the lines of a file.
  nlohmann::json recorded(const char* side) const;
  std::string file(const char* name) const { return (folder_ / name).string(); }
  // A file with a label and its text, or pair of texts, per line.
  std::string table() const;

  // Training on the texts as the task of the model asks for it: of an embedding model, as a
  // classifier.
  TrainingTask started() const;

  // The names of the weights in the other program.
  NameMap names() const;
  // Part of a head that the imported model does not have.
  bool is_new(const ParameterSet::Entry& entry) const;
  // Those of the record, of all weights that the model brought along.
  void expect_gradients(const ParameterSet& parameters) const;

  const std::filesystem::path folder_ = scratch("trained_" + GetParam().name);
  const ModelDirectory directory_;
  const SafetensorsFile golden_;
  const std::shared_ptr<const Checkpoint> model_;

 private:
  std::vector<NamedTensor> foreign_gradients(const ParameterSet& parameters) const;
};

// A view of the gradient of a parameter.
Tensor gradient_of(const ParameterSet& parameters, const ParameterSet::Entry& entry);

// The loss of all batches of an epoch, with its gradients in the parameters of the task. Of a
// language model, it is an epoch in which a single window holds the text.
double summed_loss(TrainingTask& task);

// The fixtures that have a file of tools/golden_of_training.py.
inline std::vector<FamilyFixture> fixtures_with(const char* record) {
  return fixtures_that([record](const FamilyFixture& one) { return one.has(record); });
}

}  // namespace attend
