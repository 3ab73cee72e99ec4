// A small objective to train, a listener that remembers, and a folder to run in.
#pragma once

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "attend/core/files/atomic_file.h"
#include "attend/core/random/random.h"
#include "attend/ops/elementwise.h"
#include "attend/ops/linear.h"
#include "attend/train/trainer.h"
#include "checkpoint/test_folder.h"

namespace attend {

// A network of one hidden layer, with dropout, learns to add up its four inputs. Batches differ in
// size, epochs in their batches.
class ToyObjective : public Objective {
 public:
  ToyObjective() {
    hidden_ = parameters_.add_weights("hidden.weight", {16, 4}, {Init::Kind::xavier_uniform});
    bias_ = parameters_.add("hidden.bias", {16}, {Init::Kind::zeros});
    output_ =
        parameters_.add_output_weights("output.weight", {1, 16}, {Init::Kind::xavier_uniform});
    parameters_.allocate(1);
  }

  ParameterSet& parameters() override { return parameters_; }
  double largest_error() const override { return largest; }
  std::int64_t batches(std::int64_t epoch) override { return 4 + epoch % 2; }
  BatchSize size(std::int64_t epoch, std::int64_t batch) override {
    if (before_size) before_size(epoch, batch);
    return {3 + (epoch + batch) % 3, 0};
  }

  BatchLoss loss(std::int64_t epoch, std::int64_t batch, double normalizer, Pass& pass) override {
    ++calls;
    if (before_loss) before_loss();
    BatchLoss result =
        error(size(epoch, batch).targets,
              RandomKey{5, static_cast<std::uint64_t>(epoch * 100 + batch)}, normalizer, pass);
    if (calls == nan_at_call) result.loss_sum = std::nan("");
    if (const auto found = nll_at_call.find(calls); found != nll_at_call.end())
      result.nll_sum = found->second * static_cast<double>(size(epoch, batch).targets);
    if (calls == infinite_gradient_at_call) result.loss = scale(result.loss, INFINITY);
    return result;
  }

  // A loss on so many made-up rows.
  BatchLoss loss_of_rows(std::int64_t rows, double normalizer, Pass& pass) {
    return error(rows, RandomKey{7, 0}, normalizer, pass);
  }

  bool can_validate() const override { return validates; }
  Validation validate() override {
    if (before_validation) before_validation();
    validated_with.push_back(parameters_.values().to_vector());
    Pass pass = Pass::inference();
    const double loss =
        validation_is_nan ? NAN : error(20, RandomKey{6, 0}, 1.0, pass).loss_sum / 20;
    const std::size_t number = validated_with.size();
    return {loss,
            validation_nll.value_or(loss),
            {{"toy", -loss}},
            number <= scores.size() ? scores[number - 1] : -loss};
  }

  bool validates = true;
  std::function<void()> before_loss, before_validation;  // may throw
  std::function<void(std::int64_t epoch, std::int64_t batch)> before_size;
  std::vector<double>
      scores;  // what validations return one after another; afterwards, the negative loss
  std::int64_t calls = 0;  // of loss()
  bool validation_is_nan = false;
  std::optional<double> validation_nll;
  std::int64_t nan_at_call = -1;
  std::map<std::int64_t, double> nll_at_call;  // per target
  std::int64_t infinite_gradient_at_call = -1;
  double largest = 1;                              // error, for the divergence rule
  std::vector<std::vector<float>> validated_with;  // the parameters of every validation

 private:
  BatchLoss error(std::int64_t rows, RandomKey key, double normalizer, Pass& pass) {
    Random random(key);
    const Tensor x = Tensor::empty({rows, 4}), y = Tensor::empty({rows, 1});
    for (std::int64_t r = 0; r < rows; ++r) {
      y.row(r)[0] = 0;
      for (int i = 0; i < 4; ++i)
        y.row(r)[0] -= x.row(r)[i] =
            random.uniform() - 0.5f;  // minus, to find the difference by adding
    }
    const Variable hidden =
        dropout(linear(Variable(x), *hidden_, *bias_, {Activation::relu, pass.precision()}),
                pass.dropout(0.2f));
    const Variable difference =
        add(linear(hidden, *output_, {}, {.precision = pass.precision()}), Variable(y));
    const Variable total = sum(multiply(difference, difference));
    const double squares = static_cast<double>(total.value().item());
    return {scale(total, static_cast<float>(1.0 / normalizer)), squares, squares};
  }

  ParameterSet parameters_;
  Parameter hidden_, bias_, output_;
};

// Remembers what it is told, and can stop the run or fail.
class Recorder final : public TrainingListener {
 public:
  void on_start(const TrainingStart& e) override {
    calls.push_back("start");
    start = e;
  }
  void on_step(const StepEvent& e) override {
    calls.push_back("step " + std::to_string(e.step));
    steps[e.step] = e;
    if (e.step == stop_at) stop = true;
    if (e.step == fail_at) throw IoError("disk full");
  }
  void on_validation(const ValidationEvent& e) override {
    calls.push_back((e.averaged > 0 ? "average " : "validation ") + std::to_string(e.step) +
                    (e.best ? " best" : ""));
  }
  void on_checkpoint(const CheckpointEvent& e) override {
    calls.push_back("checkpoint " + std::to_string(e.step) + (e.best ? " best" : ""));
  }
  void on_end(const EndEvent& e) override {
    calls.push_back(std::string("end ") + name_of(e.reason));
    end = e;
    if (fails_at_end) throw IoError("disk still full");
  }

  std::vector<std::string> calls;
  TrainingStart start;
  EndEvent end;
  bool fails_at_end = false;
  std::map<std::int64_t, StepEvent> steps;
  std::atomic<bool> stop = false;
  std::int64_t stop_at = -1;
  std::int64_t fail_at = -1;
};

// What is left of one call of Trainer::train.
struct ToyRun {
  ToyObjective objective;
  Recorder recorder;
  std::vector<std::string> warnings;
  std::function<void(Checkpoint&)> add_samples;

  TrainingEnd train(const std::filesystem::path& folder, const TrainerOptions& options,
                    bool resume = false) {
    TrainingRun run{RunFolder(folder), resume, 64, describe, {&recorder}, &recorder.stop, {}};
    run.warn = [this](const std::string& message) { warnings.push_back(message); };
    run.add_samples = add_samples;
    return Trainer(objective, options, std::move(run)).train();
  }

  static void describe(Checkpoint& checkpoint) {
    checkpoint.metadata["attend.task"] = "toy";
    checkpoint.metadata["attend.config"] = "{}";
  }
};

class TrainerTest : public FolderTest {
 protected:
  TrainerTest() {
    options_.max_steps = 12;
    options_.valid_every = 3;
    options_.save_every = 4;
    options_.seed = 3;
    options_.schedule.learning_rate = 0.01f;
    options_.schedule.warmup_steps = 4;
  }

  std::filesystem::path checkpoint(const std::string& run, std::int64_t step) const {
    return RunFolder(path(run)).checkpoint_file(step);
  }
  std::vector<std::int64_t> saved_steps(const std::string& run) const {
    std::vector<std::int64_t> steps;
    for (const auto& saved : RunFolder(path(run)).checkpoints()) steps.push_back(saved.step);
    return steps;
  }
  // The parameters in a checkpoint or model, laid end to end.
  static std::vector<float> parameters_in(const std::filesystem::path& file) {
    const Checkpoint checkpoint = load_checkpoint(file);
    std::vector<float> all;
    for (const char* name : {"hidden.weight", "hidden.bias", "output.weight"}) {
      const std::vector<float> part = checkpoint.tensor(name).to_vector();
      all.insert(all.end(), part.begin(), part.end());
    }
    return all;
  }

  TrainerOptions options_;

 private:
  ScopedFileCalls without_waiting_{
      {{}, [](int) { return 0; }, {}}};  // for the disk: no power cut is tested here
};

}  // namespace attend
