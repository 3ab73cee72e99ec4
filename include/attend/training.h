// Training a model from text files.
//
//   attend::TrainingJob job;
//   job.task = "translation";
//   job.folder = "run";
//   job.options = {{"src-train", "train.en"}, {"tgt-train", "train.de"}, {"max-steps", 5000}};
//   job.on_step = [](const attend::StepReport& report) { std::cout << report.loss << '\n'; };
//   const attend::TrainingResult result = attend::train(job);  // -> run/model.safetensors
//
// Options have the names, defaults and ranges of `attend train translation`, `lm`,
// `classification`, `embedding` and `tagging`; --help lists them, docs/training.md explains them.
// The library and the program write the same run folder, and each can resume the other's runs. One
// difference: here, init-from takes only models of attend, not directories of other programs.
#pragma once

#include <atomic>
#include <charconv>
#include <concepts>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "attend/runtime.h"

#pragma GCC visibility push(default)
namespace attend {

// An option by name, in kebab-case or snake_case. The value is a number, the name of a choice, a
// boolean, a string, or a list of strings.
struct TrainingOption {
  std::string name;
  std::vector<std::string> values;  // as typed after a flag; one value, except for lists

  TrainingOption(std::string option, std::string_view text)
      : name(std::move(option)), values{std::string(text)} {}
  TrainingOption(std::string option, std::vector<std::string> texts)
      : name(std::move(option)), values(std::move(texts)) {}
  template <std::same_as<bool> Truth>
  TrainingOption(std::string option, Truth truth)
      : name(std::move(option)), values{truth ? "true" : "false"} {}
  template <class Number>
  requires((std::integral<Number> || std::floating_point<Number>)&&!std::same_as<Number, bool>)
      TrainingOption(std::string option, Number number)
      : name(std::move(option)) {
    char digits[64];  // the shortest digits that read back as the same number
    values.emplace_back(digits, std::to_chars(digits, digits + sizeof digits, number).ptr);
  }
};

// Reported after each update. Fields marked (clock) depend on time; all others are a function of
// data, options and seed, and bit-identical in a resumed run.
struct StepReport {
  std::int64_t step = 0;   // from 1
  std::int64_t epoch = 0;  // the epoch of this step's last batch, from 1
  double loss = 0;         // the optimized loss per target token (label smoothing included)
  double nll = 0;  // negative log-likelihood per target token, natural logarithm, no smoothing
  double learning_rate = 0;      // used by this step
  double gradient_norm = 0;      // before clipping
  std::int64_t tokens = 0;       // target tokens in this step's batches
  double tokens_per_second = 0;  // (clock) target tokens over the time of this step alone
  double seconds = 0;            // (clock) time the run has taken, including before resuming
  // Source tokens in this step's batches; 0 for models without a source
  std::int64_t source_tokens = 0;
};

// Reported after each validation.
struct ValidationReport {
  std::int64_t step = 0;
  std::int64_t epoch = 0;  // as in StepReport
  double loss = 0;
  double nll = 0;  // as in StepReport, over the whole validation set
  // Metrics of the task: {"bleu", 41.2}, {"accuracy", 0.89}
  std::vector<std::pair<std::string, double>> metrics;
  bool best = false;   // better than all previous validations
  double seconds = 0;  // (clock) time the run has taken, including before resuming
  // Number of checkpoints averaged for this validation; 0: the model of this step
  int averaged = 0;
  double score = 0;  // what training makes large: the metric that decides, or the negative loss
};

// train() throws for the last two.
enum class TrainingEnd { finished, stopped_early, interrupted, diverged, failed };

struct TrainingJob {
  // "translation", "lm" (language model), "classification", "embedding" or "tagging", as in
  // `attend train`.
  std::string task;
  // The run folder, created if missing: model, checkpoints, config.toml, log.jsonl, TensorBoard
  // events.
  std::filesystem::path folder;
  // A TOML file of options, such as a recipe. Empty: none, or run/config.toml when resuming.
  std::filesystem::path config;
  std::vector<TrainingOption> options;  // override the file
  // Continue from the newest checkpoint in the folder; if there is none, start a new run.
  bool resume = false;

  // Null: a new one with the number of threads in the options, or the default one.
  std::shared_ptr<Runtime> runtime;
  // When it becomes true, training saves a checkpoint after the step and returns.
  const std::atomic<bool>* stop = nullptr;
  // Callbacks run on the thread of train(). An exception ends the run and propagates from train().
  std::function<void(const StepReport&)> on_step;
  std::function<void(const ValidationReport&)> on_validation;
  // Receives lines to print, about what was read and skipped.
  std::function<void(const std::string&)> on_note;
};

struct TrainingResult {
  // finished, stopped_early (patience) or interrupted (stop); failures are exceptions.
  TrainingEnd end = TrainingEnd::finished;
  std::int64_t steps = 0;       // updates made, including those before resuming
  std::filesystem::path model;  // the model to use: the best by validation, or else the newest
  std::optional<ValidationReport> best;  // the best validation of this call
};

// Trains to the last step, until patience runs out, or until stopped. A resumed run ends with the
// same bytes as an uninterrupted one, with any number of threads.
//
// Throws ConfigError for an unknown task or option (naming the nearest one), for options out of
// range or contradictory, and for a folder that holds another run or is in use; IoError and
// DataError for files; DivergedError if a loss is not finite or too high (the message names
// the last good checkpoint). Checkpoints saved before an error remain.
TrainingResult train(const TrainingJob& job);

}  // namespace attend
#pragma GCC visibility pop
