// The trainer's checkpoints: saving, and resuming from them.
#include <fmt/format.h>

#include <cmath>
#include <utility>

#include "attend/checkpoint/parameters.h"
#include "attend/checkpoint/state.h"
#include "attend/core/options/option_error.h"
#include "attend/core/options/option_fields.h"
#include "attend/core/strings/quote.h"
#include "attend/error.h"
#include "attend/train/trainer.h"

namespace attend {

namespace {

// A saved count, limited so that steps times batches per step cannot overflow.
std::int64_t saved_count(const StateReader& state, std::string_view name,
                         const std::string& source) {
  constexpr NumberRange kCounts = between(0, 1e18);
  const auto count = state.get<std::int64_t>(name);
  if (!kCounts.contains(count))
    throw DataError(fmt::format("{}: {}: expected {}, got {}", source, name,
                                expected_number(kCounts, true), count));
  return count;
}

std::string_view name(OptimizerKind kind) {
  return enum_names(kind)[static_cast<std::size_t>(kind)];
}

// The patterns in one line.
std::string frozen_by(const TrainerOptions& options) {
  return fmt::format("{}", fmt::join(options.freeze, " "));
}

// The optimizer has a state for what was trained.
void require_same_frozen(const StateReader& state, const TrainerOptions& options,
                         const std::string& source) {
  const std::string before = state.contains("freeze") ? state.text("freeze") : "";
  if (before != frozen_by(options))
    throw ConfigError(fmt::format("freeze: {} was saved with {}; resume with the same setting",
                                  source, before.empty() ? "none" : printable(before, 200)));
}

}  // namespace

// 0: none.
std::int64_t Trainer::newest_checkpoint() const {
  if (run_.folder.path().empty()) return 0;  // nothing is saved during measurement
  try {
    const std::vector<RunFolder::Saved> saved = run_.folder.checkpoints();
    return saved.empty() ? 0 : saved.back().step;
  } catch (const IoError&) {
    return 0;
  }
}

// Whether a run resumed before this step can succeed: the step is repeated before any other
// learning rate matters.
bool Trainer::Measures::leads_on(const DivergenceWatch& watch) const {
  return std::isfinite(double{loss}) && std::isfinite(double{gradient_norm}) &&
         !watch.is_hopeless(nll);
}

// Describes the checkpoint to resume from, for the message of a diverged run.
OptionText Trainer::set_aside_what_diverges() const {
  std::string text;
  if (after_saved_ && !after_saved_->leads_on(watch_) && is_first()) {
    const std::filesystem::path moved = run_.folder.set_aside(saved_step_);
    text = fmt::format("the checkpoint of step {} diverges again and is now {}; ", saved_step_,
                       moved.filename().string());
  }
  const std::int64_t newest = newest_checkpoint();
  if (newest > 0)
    return option_text("{}the checkpoint of step {} is good: continue with {}", text, newest,
                       as_flag("resume"));
  return option_text("{}no good checkpoint had been saved yet", text);
}

void Trainer::diverged(const char* what) const {
  const float clip_norm = options_.optimizer.adam.clip_norm;
  throw OptionError<DivergedError>(
      "the {} at step {} (loss {:.4g}, in the first step {:.4g}; gradient norm {:.4g}, learning "
      "rate {:.3g}); try a lower {}, more {}, or {}; {}",
      what, step_, double{last_.loss}, watch_.first() * objective_.largest_error(),
      double{last_.gradient_norm}, schedule_->at(step_), as_key("learning-rate"),
      as_key("warmup-steps"),
      clip_norm > 0 ? option_text("a {} below {:g}", as_key("clip-norm"), clip_norm)
                    : option_text("{} 1", as_key("clip-norm")),
      set_aside_what_diverges());
}

// Saves a checkpoint before a validation, so that a run can resume from here whatever happens. The
// checkpoint does not include the validation, which is then repeated.
void Trainer::secure() {
  if (!is_first()) return optimizer_state_.answer();
  save_checkpoint(run_.folder.checkpoint_file(step_), checkpoint());
  optimizer_state_.release();
  if (stopped_step_ > 0) {  // at most one temporary checkpoint: this one replaces it
    run_.folder.remove(std::exchange(stopped_step_, step_));
  } else {
    secured_step_ = step_;
  }
}

Checkpoint Trainer::checkpoint() const {
  Checkpoint checkpoint;
  add_parameters(checkpoint, objective_.parameters(), model_values());
  run_.describe_model(checkpoint);
  const StateWriter state(checkpoint, std::string(kTrainingState));
  if (average_) state.put("parameters", objective_.parameters().values());
  state.put("optimizer", name(options_.optimizer.kind));
  if (!options_.freeze.empty()) state.put("freeze", frozen_by(options_));
  optimizer_state_.add_to(checkpoint, kTrainingState);
  state.put("step", step_);
  state.put("epoch", epoch_);
  state.put("batch", batch_);
  state.put("micro_step", micro_step_);
  state.put("best_score", best_score_);
  state.put("validations", validations_);
  state.put("without_improvement", without_improvement_);
  state.put("validated_step", validated_step_);
  if (!std::isnan(watch_.first())) {
    state.put("first_nll", watch_.first());
    state.put("looks_above", watch_.state().looks_above);
  }
  return checkpoint;
}

void Trainer::save() {
  if (saved_step_ == step_ && saved_validations_ == validations_) return;
  is_first() ? write_checkpoint() : optimizer_state_.answer();
  saved_step_ = step_;
  saved_validations_ = validations_;
  secured_step_ = 0;
  after_saved_.reset();
  for (TrainingListener* listener : run_.listeners) {
    listener->on_checkpoint({step_, run_.folder.checkpoint_file(step_).string(),
                             validated_step_ == step_ && without_improvement_ == 0});
  }
}

void Trainer::write_checkpoint() {
  if (stopped_step_ == step_) stopped_step_ = 0;
  const int keep = options_.keep_checkpoints;
  run_.folder.save(step_, checkpoint(), keep > 0 && stopped_step_ > 0 ? keep + 1 : keep);
  optimizer_state_.release();
  if (stopped_step_ > 0) run_.folder.remove(std::exchange(stopped_step_, 0));
}

void Trainer::restore() {
  std::vector<std::string> skipped;
  const auto latest = run_.folder.latest(skipped);
  if (run_.warn) {
    for (const std::string& message : skipped) run_.warn(message);
  }
  if (!latest) return;
  const ParameterSet& parameters = objective_.parameters();
  const StateReader state(latest->checkpoint, std::string(kTrainingState));
  if (average_.operator bool() != state.contains("parameters"))
    throw OptionError<ConfigError>(
        "{}: {} was saved {} a moving average; resume with the same setting", as_key("ema-decay"),
        latest->checkpoint.source, average_ ? "without" : "with");
  // Before there was a choice.
  const std::string saved_with = state.contains("optimizer") ? state.text("optimizer") : "adam";
  if (saved_with != name(options_.optimizer.kind))
    throw ConfigError(fmt::format("optimizer: {} was saved with {}; resume with the same setting",
                                  latest->checkpoint.source, printable(saved_with, 60)));
  require_same_frozen(state, options_, latest->checkpoint.source);
  read_parameters(latest->checkpoint, parameters, model_values());
  if (average_) state.copy_to("parameters", parameters.values());
  optimizer_state_.restore(state);
  restore_position(state, latest->checkpoint.source);
  saved_step_ = step_;
  saved_validations_ = validations_;
  if (options_.save_every == 0 || step_ % options_.save_every != 0) stopped_step_ = step_;
  optimizer_->set_steps(step_);
}

void Trainer::restore_position(const StateReader& state, const std::string& source) {
  step_ = saved_count(state, "step", source);
  epoch_ = saved_count(state, "epoch", source);
  batch_ = saved_count(state, "batch", source);
  if (const std::int64_t batches = objective_.batches(epoch_); batch_ >= batches)
    throw DataError(
        fmt::format("{}: batch {} of an epoch of {}: expected the data of the original run", source,
                    batch_, batches));
  micro_step_ = saved_count(state, "micro_step", source);
  best_score_ = state.get<double>("best_score");
  if (std::isnan(best_score_))
    throw DataError(fmt::format("{}: best_score: expected a number, got nan", source));
  validations_ = saved_count(state, "validations", source);
  without_improvement_ = saved_count(state, "without_improvement", source);
  validated_step_ = state.get<std::int64_t>("validated_step");
  if (!state.contains("first_nll")) return;  // an older checkpoint without it
  const auto first = state.get<double>("first_nll");
  if (!std::isfinite(first))
    throw DataError(fmt::format("{}: first_nll: expected a number, got {}", source, first));
  watch_.restore({first, saved_count(state, "looks_above", source)});
}

}  // namespace attend
