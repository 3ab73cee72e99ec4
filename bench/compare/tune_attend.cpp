// One side of a comparison: fine-tunes an imported classifier for some seconds on labeled texts and
// prints what it measured as JSON.
//
//   compare_tune_attend OPTIONS.json f32|bf16   {"model": file, "texts": file of "label TAB text",
//                                               "first": file with some of them, "batch_tokens": n,
//                                               "rank": of low-rank adapters, or 0: all parameters,
//                                               "seconds": s, "threads": t}
//
// The loss of the first texts, without dropout, is for the other side to reproduce.
#include <fstream>
#include <iostream>
#include <memory>
#include <string_view>

#include "attend/core/threads/runtime.h"
#include "attend/error.h"
#include "attend/tasks/classification/training.h"
#include "attend/tasks/model_file/adapter.h"
#include "train_for.h"

namespace {

using namespace attend;

int run(const nlohmann::json& options, Precision precision) {
  const RuntimeScope runtime({.threads = options.at("threads")});
  auto model =
      std::make_shared<const Checkpoint>(load_checkpoint(std::string(options.at("model"))));
  ClassificationTraining training;
  training.initial = model;
  adopt_model(training, *model);
  training.data.train = {options.at("texts")};
  training.data.valid = {options.at("first")};
  training.data.batch.batch_tokens = options.at("batch_tokens");
  training.trainer.low_rank.rank = options.at("rank");
  TrainingTask task = prepare_training(training, nullptr);
  if (training.trainer.low_rank.rank > 0) train_adapters(task, training.trainer, *model, nullptr);
  training.initial.reset();  // as `attend train` does
  model.reset();

  Objective& objective = *task.objective;
  nlohmann::json result{{"parameters", objective.parameters().size()},
                        {"first_loss", objective.validate().nll}};
  const std::int64_t batches = objective.batches(0);
  result.update(
      train_for(options.at("seconds"), objective.parameters(), [&](std::int64_t i) -> TimedStep {
        Pass pass = Pass::training(1, static_cast<std::uint64_t>(i), precision);
        const BatchSize size = objective.size(i / batches, i % batches);
        const auto texts = static_cast<double>(size.targets);
        return {objective.loss(i / batches, i % batches, texts, pass).loss,
                static_cast<double>(size.sources), 0.0};
      }));
  std::cout << result << "\n";
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    if (argc != 3) throw ConfigError("usage: compare_tune_attend OPTIONS.json f32|bf16");
    std::ifstream file(argv[1]);
    return run(nlohmann::json::parse(file),
               std::string_view(argv[2]) == "bf16" ? Precision::bf16 : Precision::f32);
  } catch (const std::exception& error) {
    std::cerr << "compare_tune_attend: " << error.what() << "\n";
    return 1;
  }
}
