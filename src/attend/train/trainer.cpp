#include "attend/train/trainer.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <exception>
#include <limits>
#include <set>
#include <tuple>
#include <utility>

#include "attend/checkpoint/average.h"
#include "attend/checkpoint/finite.h"
#include "attend/checkpoint/parameters.h"
#include "attend/checkpoint/run_lock.h"
#include "attend/checkpoint/training_note.h"
#include "attend/core/options/name_pattern.h"
#include "attend/core/options/option_error.h"
#include "attend/core/options/option_fields.h"
#include "attend/core/strings/counted.h"
#include "attend/core/strings/quote.h"
#include "attend/core/threads/interruption.h"
#include "attend/error.h"
#include "attend/train/training_note.h"

namespace attend {

namespace {

std::int64_t now() { return std::chrono::steady_clock::now().time_since_epoch().count(); }

// What diverged() says of the measured values of a step.
constexpr const char* kInfiniteLoss = "loss is not a finite number";
constexpr const char* kInfiniteGradient = "gradient is not a finite number";

// Replaces the values of the parameters during its lifetime.
class Substitution {
 public:
  Substitution(const Tensor& parameters, const Tensor& values) : parameters_(parameters) {
    if (values.bytes() == parameters.bytes()) return;  // they are in place
    const Uninterrupted whole;
    saved_ = parameters.clone();
    parameters.copy_from(values);
  }
  ~Substitution() {
    const Uninterrupted whole;
    if (saved_.defined()) parameters_.copy_from(saved_);
  }
  Substitution(const Substitution&) = delete;
  Substitution& operator=(const Substitution&) = delete;

 private:
  Tensor parameters_;
  Tensor saved_;
};

}  // namespace

void validate(const TrainerOptions& o, int d_model) {
  check_options(o);
  require_shareable(o.shards, SingleProcess());
  if (o.keep_checkpoints > 0 && o.average_last > o.keep_checkpoints)
    throw OptionError<ConfigError>("{}: {} cannot be averaged when {} is {}",
                                   as_key("average-last"), counted(o.average_last, "checkpoint"),
                                   as_key("keep-checkpoints"), o.keep_checkpoints);
  make_schedule(o.schedule, d_model, o.max_steps);
}

void freeze_parameters(ParameterSet& parameters, const TrainerOptions& o) {
  std::set<std::string> frozen;
  for (const std::string& pattern : o.freeze) {
    bool fits = false;
    for (const ParameterSet::Entry& entry : parameters.entries()) {
      if (!fits_pattern(entry.name, pattern)) continue;
      frozen.insert(entry.name);
      fits = true;
    }
    if (!fits)
      throw ConfigError(fmt::format(
          "freeze: no parameter has a name like {}; names are such as {} and {}", quote(pattern),
          parameters.entries().front().name, parameters.entries().back().name));
  }
  if (!frozen.empty() && frozen.size() == parameters.entries().size())
    throw ConfigError("freeze: expected patterns that leave something to train, found none");
  try {
    if (!frozen.empty()) parameters.freeze(frozen);
  } catch (const ConfigError& error) {
    throw ConfigError(fmt::format("freeze: {}", error.what()));
  }
}

std::int64_t planned_steps(Objective& objective, const TrainerOptions& o) {
  if (o.max_epochs <= 0) return o.max_steps;
  const double steps =
      std::ceil(static_cast<double>(o.max_epochs) * static_cast<double>(objective.batches(0)) /
                static_cast<double>(batches_per_step(o)));
  return std::max<std::int64_t>(
      1, static_cast<std::int64_t>(std::min(steps, static_cast<double>(o.max_steps))));
}

Trainer::Trainer(Objective& objective, TrainerOptions options, TrainingRun run)
    : objective_(objective),
      options_(options),
      run_(std::move(run)),
      optimizer_(make_shared_optimizer(objective.parameters(), options, *run_.processes)),
      optimizer_state_(*optimizer_, options.shard_optimizer ? run_.processes.get() : nullptr),
      gradient_(objective, {options.shards, options.wire, !options.recompute}, *run_.processes,
                [this](std::uint64_t number) {
                  Pass pass = Pass::training(options_.seed, number, options_.precision);
                  pass.recompute = options_.recompute;
                  return pass;
                }) {
  attend::validate(options_, run_.d_model);
  if (options_.patience > 0 && !objective_.can_validate())
    throw OptionError<ConfigError>("patience: expected held-out text ({}) to stop by, got none",
                                   as_flag("valid"));
  schedule_ = make_schedule(options_.schedule, run_.d_model, planned_steps(objective_, options_));
  if (options_.ema_decay > 0.0f)
    average_ = std::make_unique<MovingAverage>(objective_.parameters(), options_.ema_decay);
  best_score_ = -std::numeric_limits<double>::infinity();
}

TrainingEnd Trainer::train() {
  std::optional<RunLock> lock;
  if (is_first()) {
    run_.folder.create();
    lock.emplace(run_.folder.path());
    if (!run_.resume) run_.folder.require_unused();
  }
  TrainingStart start;
  start.total_steps = planned_steps(objective_, options_);
  start.parameters = objective_.parameters().trained_size();
  start.seed = options_.seed;
  start.unit = objective_.unit();
  start.processes = memory_of_processes();
  if (run_.resume) {
    restore();
    start.resumed_step = step_;
    start.validates_again = step_ > 0 && validation_is_due();
    if (step_ > 0) start.resumed_from = run_.folder.checkpoint_file(step_).string();
    if (step_ > 0 && run_.seconds_before) seconds_before_ = run_.seconds_before(step_);
  }
  require_equal_start();
  for (TrainingListener* listener : run_.listeners) listener->on_start(start);

  started_ = now();
  TrainingEnd reason = TrainingEnd::failed;
  const auto event = [&] { return EndEvent{step_, reason, seconds(), newest_checkpoint()}; };
  const auto end_by_failure = [&] {
    for (TrainingListener* listener : run_.listeners) {
      try {
        listener->on_end(event());
      } catch (
          const std::exception&) {  // such as a log on a full disk: the first error is reported
      }
    }
  };
  try {
    reason = loop();
  } catch (const DivergedError&) {
    reason = TrainingEnd::diverged;
    end_by_failure();
    throw;
  } catch (...) {
    end_by_failure();
    throw;
  }
  for (TrainingListener* listener : run_.listeners) listener->on_end(event());
  return reason;
}

// An interruption (core/threads/interruption.h) ends a run of one process within a step, with a
// checkpoint of the step before.
TrainingEnd Trainer::loop() {
  std::optional<Uninterrupted> together;
  if (run_.processes->size() > 1) together.emplace();
  try {
    return steps();
  } catch (...) {
    if (!is_interrupted()) throw;
  }
  const Uninterrupted whole;
  stops_ = true;
  if (step_ > 0 && step_ != saved_step_) watch(/*is_new=*/false);
  if (step_ > 0) save();
  return TrainingEnd::interrupted;
}

TrainingEnd Trainer::steps() {
  agree_on_stop();
  // The resumed run had not processed it.
  if (step_ > 0 && settle()) return TrainingEnd::interrupted;
  while (!finished()) {
    const StepEvent event = update();
    if (step_ == saved_step_ + 1) after_saved_ = last_;
    for (TrainingListener* listener : run_.listeners) listener->on_step(event);
    agree_on_stop();
    watch(/*is_new=*/true);
    if (settle()) return TrainingEnd::interrupted;
  }
  if (validations_ == 0) save_model(model_values(), nullptr);
  if (options_.average_last > 1 && is_first()) validate_average();
  const bool early = options_.patience > 0 && without_improvement_ >= options_.patience;
  return early ? TrainingEnd::stopped_early : TrainingEnd::finished;
}

// Checks the last step when the divergence rule asks for it, once, and before its results are
// saved.
void Trainer::watch(bool is_new) {
  const bool due = is_new && DivergenceWatch::is_due(step_);
  if (!due && !is_to_be_kept()) return;
  if (!std::isfinite(double{last_.loss})) diverged(kInfiniteLoss);
  if (!std::isfinite(double{last_.gradient_norm})) diverged(kInfiniteGradient);
  const double nll = last_.nll / objective_.largest_error();
  if (due ? watch_.look(nll) : watch_.is_hopeless(nll)) diverged("loss is too high");
}

// After a step: its validation and checkpoint, if due. Returns whether the run should stop.
bool Trainer::settle() {
  if (validation_is_due()) {
    validate();
    agree_on_stop();
  }
  if (stops_ || due(options_.save_every)) {
    const Uninterrupted whole;
    save();
  }
  if (secured_step_ > 0) run_.folder.remove(std::exchange(secured_step_, 0));
  return stops_;
}

bool Trainer::is_to_be_kept() const {
  return validation_is_due() || due(options_.save_every) || stops_;
}

// One process that is told to stop stops all, after the same step.
void Trainer::agree_on_stop() {
  const bool stop = run_.stop != nullptr && run_.stop->load();
  stops_ = largest_number(*run_.processes, stop ? 1.0 : 0.0) > 0.0;
}

bool Trainer::due(std::int64_t every) const {
  return finished() || (every > 0 && step_ % every == 0);
}

bool Trainer::validation_is_due() const {
  return objective_.can_validate() && validated_step_ != step_ && due(options_.valid_every);
}

bool Trainer::finished() const {
  if (step_ >= options_.max_steps) return true;
  if (options_.max_epochs > 0 && epoch_ >= options_.max_epochs) return true;
  return options_.patience > 0 && without_improvement_ >= options_.patience;
}

// One update. Batches continue across epochs; a step may combine the end of one epoch with the
// start of the next.
StepEvent Trainer::update() {
  const std::int64_t begun = now();
  const std::tuple before{epoch_, batch_, micro_step_};
  std::vector<StepBatch> batches;
  StepEvent event;
  StepGradient::Losses losses;
  try {
    for (std::int64_t i = 0; i < batches_per_step(options_); ++i) {
      batches.push_back({epoch_, batch_, static_cast<std::uint64_t>(++micro_step_)});
      const BatchSize size = objective_.size(epoch_, batch_);
      event.tokens += size.targets;
      event.source_tokens += size.sources;
      if (++batch_ >= objective_.batches(epoch_)) {
        ++epoch_;
        batch_ = 0;
      }
    }
    losses = gradient_.compute(batches, static_cast<double>(event.tokens));
  } catch (...) {  // the parameters are those of the step before
    std::tie(epoch_, batch_, micro_step_) = before;
    throw;
  }
  const Uninterrupted whole;
  const float learning_rate = schedule_->at(step_ + 1);
  const auto targets = static_cast<double>(event.tokens);
  const DeviceScalar squares = optimizer_->step(learning_rate);
  ++step_;
  if (average_) average_->update(step_);

  event.step = step_;
  event.epoch = batches.back().epoch + 1;
  last_.loss = Measured([targets, losses] { return losses.loss / targets; });
  last_.nll = Measured([targets, losses] { return losses.nll / targets; });
  last_.gradient_norm = Measured([squares] { return std::sqrt(squares); });
  const auto finite = [this](const char* what, double value) {
    return std::isfinite(value) ? value : (diverged(what), value);
  };
  event.loss =
      Measured([finite, measured = last_.loss] { return finite(kInfiniteLoss, measured); });
  event.nll = last_.nll;
  event.gradient_norm = Measured(
      [finite, measured = last_.gradient_norm] { return finite(kInfiniteGradient, measured); });
  event.learning_rate = learning_rate;
  event.tokens_per_second = targets / (static_cast<double>(now() - begun) * 1e-9);
  event.seconds = seconds();
  return event;
}

void Trainer::skip_to(std::int64_t epoch) {
  epoch_ = epoch;
  batch_ = 0;
}

const Tensor& Trainer::model_values() const {
  return average_ ? average_->values() : objective_.parameters().values();
}

void Trainer::validate() {
  const bool secured = saved_step_ != step_;
  if (secured) {
    const Uninterrupted whole;
    secure();
  }
  const Validation result = validation_of(model_values(), *run_.processes);
  const Uninterrupted whole;  // the best model is saved with what is said of it
  const bool finite = std::isfinite(result.loss);
  if (!finite || watch_.is_hopeless(result.nll / objective_.largest_error())) {
    if (secured && is_first()) run_.folder.remove(step_);  // nothing useful would follow
    diverged(finite ? "validation loss is too high" : "validation loss is not a finite number");
  }
  validated_step_ = step_;
  ++validations_;
  const bool best = accept(result, /*averaged=*/0);
  without_improvement_ = best ? 0 : without_improvement_ + 1;
  if (best) save_model(model_values(), &result);
}

// The last act of a run. Without validation, the average is used unchecked.
void Trainer::validate_average() {
  std::vector<std::filesystem::path> paths;
  for (const RunFolder::Saved& saved : run_.folder.checkpoints()) paths.push_back(saved.path);
  if (paths.size() > static_cast<std::size_t>(options_.average_last))
    paths.erase(paths.begin(), paths.end() - options_.average_last);
  const Tensor mean = Tensor::empty(objective_.parameters().values().shape());
  read_parameters(average_checkpoints(paths), objective_.parameters(), mean);
  const auto averaged = static_cast<int>(paths.size());
  if (!objective_.can_validate()) return save_model(mean, nullptr, averaged);
  SingleProcess alone;
  const Validation result = validation_of(mean, alone);
  if (accept(result, averaged)) save_model(mean, &result, averaged);
}

Validation Trainer::validation_of(const Tensor& values, Collective& processes) {
  const Substitution substituted(objective_.parameters().values(), values);
  return objective_.validate_together(processes);
}

// Reports to the listeners; returns whether the result is the best so far.
bool Trainer::accept(const Validation& result, int averaged) {
  const ValidationEvent event{.step = step_,
                              .epoch = epoch_of_last_batch(),
                              .loss = result.loss,
                              .nll = result.nll,
                              .metrics = result.metrics,
                              .best = result.score > best_score_,
                              .seconds = seconds(),
                              .averaged = averaged,
                              .score = result.score};
  for (TrainingListener* listener : run_.listeners) listener->on_validation(event);
  if (event.best) best_score_ = result.score;
  return event.best;
}

// The samples may be the first to show that the network computes NaN.
void Trainer::add_samples(Checkpoint& model, const Tensor& values) const {
  const Substitution substituted(objective_.parameters().values(), values);
  try {
    run_.add_samples(model);
  } catch (const NotFiniteError&) {
    diverged("score of a sample is not a finite number");
  }
}

void Trainer::save_model(const Tensor& values, const Validation* validation, int averaged) const {
  if (!is_first()) return;
  Checkpoint model;
  add_parameters(model, objective_.parameters(), values);
  run_.describe_model(model);
  model.metadata[std::string(kTrainingNote)] =
      to_json(TrainingNote{step_, epoch_of_last_batch(), validation, averaged});
  if (run_.add_samples) add_samples(model, values);
  save_checkpoint(run_.folder.model_file(), model);
}

double Trainer::seconds() const {
  return seconds_before_ + static_cast<double>(now() - started_) * 1e-9;
}

}  // namespace attend
