// Trains a small translator from two files and tells how the loss falls. Ctrl-C stops it after the
// step, with a checkpoint to resume from:
//   example_train_translator train.en train.de run      -> run/model.safetensors
#include <attend/error.h>
#include <attend/training.h>

#include <atomic>
#include <csignal>
#include <iostream>

namespace {

std::atomic<bool> stop{false};

attend::TrainingJob small_translator(const std::string& src, const std::string& tgt,
                                     const std::string& folder) {
  attend::TrainingJob job;
  job.task = "translation";
  job.folder = folder;
  job.options = {{"src-train", src}, {"tgt-train", tgt},      {"batch-tokens", 256},
                 {"vocab-size", 60}, {"d-model", 64},         {"n-heads", 4},
                 {"d-ff", 128},      {"n-encoder-layers", 1}, {"n-decoder-layers", 1},
                 {"max-steps", 200}, {"learning-rate", 5e-3}, {"warmup-steps", 20},
                 {"valid-every", 0}, {"save-every", 100}};
  job.stop = &stop;
  job.on_step = [](const attend::StepReport& report) {
    if (report.step % 50 == 0)
      std::cout << "step " << report.step << "  loss " << report.loss << '\n';
  };
  return job;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 4) {
    std::cerr << "usage: example_train_translator SOURCE TARGET RUN\n";
    return 2;
  }
  std::signal(SIGINT, [](int) { stop = true; });
  try {
    const attend::TrainingResult result =
        attend::train(small_translator(argv[1], argv[2], argv[3]));
    std::cout << result.steps << " steps, the model is " << result.model.string() << '\n';
  } catch (const attend::Error& error) {
    std::cerr << error.what() << '\n';
    return 1;
  }
}
