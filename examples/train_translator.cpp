// Trains a small translator from two files and tells how the loss falls:
//   example_train_translator train.en train.de run      -> run/model.safetensors
#include <cstdio>
#include <iostream>

#include "attend/core/error.h"
#include "attend/tasks/translation/training.h"

namespace {

using namespace attend;

// A listener hears of every step; so do those that draw the progress bar and write log.jsonl.
class Report final : public TrainingListener {
 public:
  void on_step(const StepEvent& event) override {
    if (event.step % 50 == 0) std::printf("step %3lld  loss %.3f\n", static_cast<long long>(event.step), event.loss);
  }
};

void train(const std::string& src, const std::string& tgt, const std::string& folder) {
  TranslationTraining options;
  options.data.src_train = {src};
  options.data.tgt_train = {tgt};
  options.data.batch.batch_tokens = 256;
  options.vocabulary.tokenizer.vocab_size = 60;
  options.model.transformer.d_model = 64;
  options.model.transformer.n_heads = 4;
  options.model.transformer.d_ff = 128;
  options.model.transformer.n_encoder_layers = options.model.transformer.n_decoder_layers = 1;
  options.trainer.max_steps = 200;
  options.trainer.save_every = 100;
  options.trainer.schedule.learning_rate = 5e-3f;
  options.trainer.schedule.warmup_steps = 20;

  TrainingTask task = prepare_training(options, /*resumed=*/nullptr);
  Report report;
  TrainingRun run = run_of(task, RunFolder(folder), /*resume=*/false);
  run.listeners = {&report};
  Trainer(*task.objective, options.trainer, run).train();
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 4) {
    std::cerr << "usage: example_train_translator SOURCE TARGET RUN\n";
    return 2;
  }
  try {
    train(argv[1], argv[2], argv[3]);
  } catch (const Error& error) {
    std::cerr << error.what() << "\n";
    return 1;
  }
}
