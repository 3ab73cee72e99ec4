#include "attend/cli/commands/train/training_session.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "attend/cli/binding/thread_options.h"
#include "attend/cli/progress_line.h"
#include "attend/cli/stop_signal.h"
#include "attend/core/strings/counted.h"
#include "attend/error.h"
#include "attend/train/log/progress.h"
#include "attend/train/measurement.h"
#include "attend/train/readable.h"

namespace attend {

namespace {

double mebibytes(std::int64_t bytes) { return static_cast<double>(bytes) / (1 << 20); }

// A time that is not known is null.
std::string cost_as_json(const TrainingMeasurement& m, const TrainingTask& task,
                         std::int64_t steps) {
  nlohmann::ordered_json json{{"parameters", m.parameters},
                              {"tensor_bytes", m.peak_bytes},
                              {"process_bytes", m.process_bytes},
                              {"saved_by_recompute", m.saved_by_recompute},
                              {"saved_by_adam8bit", m.saved_by_8_bits},
                              {"saved_by_half_batches", m.saved_by_half_batches},
                              {"allocator_calls", m.allocator_calls},
                              {"timed_steps", m.steps},
                              {"estimated_from_batch_tokens", nullptr},
                              {"unit", task.objective->unit()},
                              {"phases", nlohmann::ordered_json::array()},
                              {"steps_per_epoch", m.steps_per_epoch},
                              {"steps", steps},
                              {"seconds", m.seconds_for(steps)}};
  if (m.batch_tokens > 0) json["estimated_from_batch_tokens"] = m.batch_tokens;
  for (const TrainingMeasurement::Phase& phase : m.phases)
    json["phases"].push_back({{"first_epoch", phase.begin + 1},
                              {"units_per_second", phase.tokens_per_second},
                              {"seconds_per_epoch", phase.seconds_per_epoch}});
  return json_text(json, 1);
}

void print_cost(const TrainingMeasurement& m, const TrainingTask& task, std::int64_t steps) {
  answer("parameters        {}\n", readable_count(m.parameters));
  if (m.batch_tokens > 0)
    answer("estimated from    batches of {} tokens\n", readable_count(m.batch_tokens));
  answer("peak memory       {:.0f} MiB of tensors, {:.0f} MiB in all\n", mebibytes(m.peak_bytes),
         mebibytes(m.process_bytes));
  if (m.saved_by_recompute > 0)
    answer("recomputing       saves {:.1f} MiB of activations (--recompute)\n",
           mebibytes(m.saved_by_recompute));
  if (m.saved_by_8_bits > 0)
    answer("8-bit moments     save {:.1f} MiB of optimizer state (--optimizer adam8bit)\n",
           mebibytes(m.saved_by_8_bits));
  if (m.saved_by_half_batches > 0)
    answer(
        "half batches      save {:.1f} MiB of activations (twice --accumulate, half of "
        "--batch-tokens)\n",
        mebibytes(m.saved_by_half_batches));
  answer("allocations       {} to the system in the last {}\n", counted(m.allocator_calls, "call"),
         counted(m.steps, "step"));
  for (const TrainingMeasurement::Phase& phase : m.phases) {
    if (m.phases.size() > 1) answer("from epoch {}\n", phase.begin + 1);
    answer("speed             {:.0f} target {}/s\n", phase.tokens_per_second,
           task.objective->unit());
    answer("time per epoch    {} ({:.0f} steps)\n", readable_duration(phase.seconds_per_epoch),
           m.steps_per_epoch);
  }
  answer("time for {}  {}\n", counted(steps, "step"), readable_duration(m.seconds_for(steps)));
}

// Says what a run will take, after a second at most.
void tell_cost(TrainingTask& task, const TrainerOptions& options, OutputFormat format) {
  const Tensor& values = task.objective->parameters().values();
  const Tensor before = values.clone();
  const TrainingMeasurement cost =
      measure_training(*task.objective, options, {.steps = 3, .seconds = 1, .savings = false});
  values.copy_from(before);
  const std::int64_t bytes = cost.process_bytes - before.size() * std::int64_t{sizeof(float)};
  const std::int64_t steps = planned_steps(*task.objective, options);
  report(format, "{} parameters; about {} for {} on this machine, {:.0f} MiB of memory\n",
         readable_count(cost.parameters), readable_duration(cost.seconds_for(steps)),
         counted(steps, "step"), mebibytes(bytes));
}

void dry_run(TrainingTask& task, const TrainerOptions& options, OutputFormat format) {
  report(format, "timing a few steps ...\n");
  ProgressLine timing = ProgressLine::timing("timing a few steps");
  const TrainingMeasurement measured = measure_training(*task.objective, options);
  timing.end();
  const std::int64_t steps = planned_steps(*task.objective, options);
  if (format == OutputFormat::json)
    answer("{}\n", cost_as_json(measured, task, steps));
  else
    print_cost(measured, task, steps);
}

std::optional<RunFolder::Latest> checkpoint_to_resume(const RunFolder& folder,
                                                      const SessionOptions& session) {
  if (!session.resume) return std::nullopt;
  std::vector<std::string> skipped;  // reported by the trainer
  auto latest = folder.latest(skipped);
  if (!latest)
    report(session.format, "nothing to resume in {}: starting from step 0\n",
           shown_path(folder.path()));
  return latest;
}

std::string resuming(const TrainingTask& task, const SessionOptions& session) {
  if (!session.resume_with.empty()) return session.resume_with;
  return fmt::format("attend train {} --resume --out {}", task.name, shown_path(session.run.out));
}

// After a run has diverged. Half of the learning rate is a first try.
void tell_how_to_recover(const TrainingTask& task, const SessionOptions& session,
                         const TrainerOptions& options) {
  const std::vector<RunFolder::Saved> saved = RunFolder(session.run.out).checkpoints();
  if (saved.empty()) return;
  report(session.format,
         "to continue from step {} with half the learning rate: {} --learning-rate {:.3g}\n",
         readable_count(saved.back().step), resuming(task, session),
         options.schedule.learning_rate / 2);
}

}  // namespace

void train_and_report(TrainingTask& task, const SessionOptions& session,
                      const TrainerOptions& options, const std::string& configuration) {
  Progress progress(session.format == OutputFormat::json ? stderr : stdout);
  StopSignal stop;
  const FolderRun run{
      .options = session.run,
      .resume = session.resume,
      .configuration = configuration,
      .listeners = {&progress},
      .stop = &stop.flag(),
      .warn = [&progress](const std::string& message) { progress.note("passed over: " + message); },
      .processes = session.processes};
  Collective& processes = *session.processes;
  try {
    const TrainingEnd end = train_in_folder(task, options, run);
    // The process that received a signal has the largest number.
    const int signal = static_cast<int>(largest_number(processes, stop.signal()));
    processes.finish();
    if (end == TrainingEnd::interrupted) {
      report(session.format, "checkpoint saved; resume with: {}\n", resuming(task, session));
      throw Interrupted{signal};
    }
  } catch (const DivergedError&) {
    tell_how_to_recover(task, session, options);
    throw;
  }
  report(session.format, "the model is {}\n", shown_path(RunFolder(session.run.out).model_file()));
  check_remarks();
}

void run_training(const SessionOptions& session, const TrainerOptions& trainer,
                  const std::string& configuration, const PrepareTraining& prepare) {
  if (session.print_config) return answer("{}", configuration);
  const Collective& processes = *session.processes;
  require_shareable(trainer.shards, processes);
  if (session.dry_run && processes.size() > 1)
    throw ConfigError(fmt::format("dry-run: expected one process, got {}", processes.size()));
  if (!session.dry_run && processes.is_first()) require_folder_for(session.run, session.resume);
  const RuntimeScope runtime = enter_runtime(session.run.threads);
  auto latest = checkpoint_to_resume(RunFolder(session.run.out), session);
  const bool resumes = latest.has_value();
  if (session.dry_run) report(session.format, "reading the text, learning the vocabulary ...\n");
  ProgressLine preparing = ProgressLine::timing("reading the text, learning the vocabulary");
  TrainingTask task = prepare(latest ? &latest->checkpoint : nullptr);
  preparing.end();
  latest.reset();  // The run reads its parameters and its optimizer's state by itself.
  for (const std::string& note : task.notes) report(session.format, "{}\n", note);
  if (session.dry_run) return dry_run(task, trainer, session.format);
  if (session.tell_cost && !resumes && processes.size() == 1)
    tell_cost(task, trainer, session.format);
  train_and_report(task, session, trainer, configuration);
}

}  // namespace attend
