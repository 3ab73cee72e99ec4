// Training a model from text files.
//
//   attend::TrainingJob job;
//   job.task = "translation";
//   job.folder = "run";
//   job.options = {{"src-train", "train.en"}, {"tgt-train", "train.de"}, {"d-model", 256},
//   {"max-steps", 5000}}; job.on_step = [](const attend::StepReport& report) { std::cout <<
//   report.step << ' ' << report.loss << '\n'; }; const attend::TrainingResult result =
//   attend::train(job);  // -> run/model.safetensors
//
// Options have the names, defaults and ranges of `attend train translation`, `attend train lm` and
// `attend train classification`: their
// --help lists them, docs/training.md explains them. A run of the library is a run of the program
// and the other way round: the folder is the same, and either goes on with what the other has
// begun.
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

// An option by name, in kebab-case or snake_case: a number, a choice by its name, true or false, a
// text, or a list of texts.
struct TrainingOption {
  std::string name;
  std::vector<std::string> values;  // as they are typed after a flag; one, but for lists

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
    char digits[64];  // the shortest that read back as the same number
    values.emplace_back(digits, std::to_chars(digits, digits + sizeof digits, number).ptr);
  }
};

// After an update of the parameters. Fields marked (clock) depend on the machine and the moment;
// all others are a function of the data, the options and the seed, and equal bit for bit in a
// resumed run.
struct StepReport {
  std::int64_t step = 0;   // from 1
  std::int64_t epoch = 0;  // the epoch that the last batch of this step came from, from 0
  double loss = 0;         // the optimized loss per target token (label smoothing included)
  double nll = 0;  // negative log-likelihood per target token, natural logarithm, no smoothing
  double learning_rate = 0;      // used by this step
  double gradient_norm = 0;      // before clipping
  std::int64_t tokens = 0;       // target tokens in this step's batches
  double tokens_per_second = 0;  // (clock) target tokens over the time of this step alone
  double seconds = 0;            // (clock) since this process started training
  std::int64_t source_tokens =
      0;  // source tokens in this step's batches; 0 for models without a source
};

// After a look at the validation data.
struct ValidationReport {
  std::int64_t step = 0;
  std::int64_t epoch = 0;
  double loss = 0;
  double nll = 0;  // as in StepReport, over the whole validation set
  std::vector<std::pair<std::string, double>>
      metrics;         // of the task: {"bleu", 41.2}, {"accuracy", 0.89}
  bool best = false;   // better than every validation before it
  double seconds = 0;  // (clock) since this process started training
  int averaged = 0;  // number of checkpoints whose average is validated; 0: the model of this step
};

enum class TrainingEnd { finished, stopped_early, interrupted, diverged, failed };

struct TrainingJob {
  std::string
      task;  // "translation", "lm" (a language model) or "classification", as after `attend train`
  std::filesystem::path folder;  // of the run, made if missing: model, checkpoints, config.toml,
                                 // log.jsonl, TensorBoard events
  std::filesystem::path config;  // a TOML file of options, a recipe; empty: none, or for a resumed
                                 // run RUN/config.toml
  std::vector<TrainingOption> options;  // these win over the file
  bool resume =
      false;  // go on from the newest checkpoint in the folder; where there is none, begin

  std::shared_ptr<Runtime>
      runtime;  // null: one with the number of threads that the options say, or the default one
  const std::atomic<bool>* stop =
      nullptr;  // when it becomes true, training saves a checkpoint after the step and returns
  std::function<void(const StepReport&)>
      on_step;  // called on the thread of train(), as the others are; what they throw
  std::function<void(const ValidationReport&)> on_validation;  // ends the run and leaves train()
  std::function<void(const std::string&)>
      on_note;  // a line for people: what was read, what was passed over
};

struct TrainingResult {
  TrainingEnd end =
      TrainingEnd::finished;    // kFinished, kStoppedEarly (patience), or kInterrupted (stop)
  std::int64_t steps = 0;       // updates made, those before a resumption included
  std::filesystem::path model;  // the model to use: the best by validation, else the newest
  std::optional<ValidationReport> best;  // the best validation of this call
};

// Trains to the last step, to the end of patience, or until stopped. A run that was stopped and
// resumed ends with the same bytes as one that was not, with any number of threads.
//
// Throws ConfigError for a task and for options that are unknown (naming the nearest one), out of
// range or contradictory, for a folder that holds another run, and for one in which a run is going
// on; IoError and DataError for files; DivergedError when a loss is not finite. Checkpoints that
// were saved before an error remain.
TrainingResult train(const TrainingJob& job);

}  // namespace attend
#pragma GCC visibility pop
