// Writes a run to TensorBoard: train/loss, train/perplexity, train/learning_rate,
// train/gradient_norm, train/tokens_per_second, valid/loss, valid/perplexity and valid/<metric>
// over the steps. View with `tensorboard --logdir RUN`.
#pragma once

#include <filesystem>
#include <functional>
#include <optional>

#include "attend/core/options/options.h"
#include "attend/train/listener.h"
#include "attend/train/log/event_file.h"

namespace attend {

struct TensorBoardOptions {
  int every = 10;
  std::function<double()> now;  // seconds since 1970; the system clock if empty
};

template <class Visitor>
void fields(TensorBoardOptions& o, Visitor&& visit) {
  visit("tensorboard-every", o.every, between(1, 1e9), "steps between points in TensorBoard");
}

class TensorBoard : public TrainingListener {
 public:
  // Creates nothing before on_start. Throws ConfigError unless every >= 1. Calls throw IoError if
  // the file cannot be written.
  explicit TensorBoard(std::filesystem::path folder, TensorBoardOptions options = {});

  // Creates a new event file each time; for a resumed run, one that makes TensorBoard drop the
  // repeated steps.
  void on_start(const TrainingStart& start) override;
  void on_step(const StepEvent& event) override;
  void on_validation(const ValidationEvent& event) override;
  void on_end(const EndEvent& event) override;

 private:
  std::filesystem::path folder_;
  TensorBoardOptions options_;
  std::optional<EventFile> file_;
};

}  // namespace attend
