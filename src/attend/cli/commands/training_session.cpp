#include "attend/cli/commands/training_session.h"

#include <fmt/format.h>

#include "attend/checkpoint/run_lock.h"
#include "attend/cli/output.h"
#include "attend/cli/stop_signal.h"
#include "attend/core/atomic_file.h"
#include "attend/core/error.h"
#include "attend/core/parallel.h"
#include "attend/train/measurement.h"
#include "attend/train/progress.h"
#include "attend/train/readable.h"

namespace attend {

namespace {

constexpr std::int64_t kDryRunSteps = 10;

double mebibytes(std::int64_t bytes) { return static_cast<double>(bytes) / (1 << 20); }

void dry_run(TrainingTask& task, const TrainerOptions& options) {
  answer("\ntraining {} steps to measure ...\n", 2 * kDryRunSteps);
  flush_answers();
  const TrainingMeasurement m = measure_training(*task.objective, options, kDryRunSteps);
  answer("parameters        {}\n", readable_count(m.parameters));
  answer("peak memory       {:.0f} MiB of tensors, {:.0f} MiB in all\n", mebibytes(m.peak_bytes), mebibytes(m.process_bytes));
  answer("allocations       {} calls to the system in the last {} steps\n", m.allocator_calls, m.steps);
  for (const TrainingMeasurement::Phase& phase : m.phases) {
    if (m.phases.size() > 1) answer("from epoch {}\n", phase.begin + 1);
    answer("speed             {:.0f} target {}/s\n", phase.tokens_per_second, task.objective->unit());
    answer("time per epoch    {} ({:.0f} steps)\n", readable_duration(phase.seconds_per_epoch), m.steps_per_epoch);
  }
  const std::int64_t steps = planned_steps(*task.objective, options);
  answer("time for {} steps  {}\n", readable_count(steps), readable_duration(m.seconds_for(steps)));
}

std::optional<RunFolder::Latest> checkpoint_to_resume(const RunFolder& folder, const SessionOptions& session) {
  if (!session.resume) return std::nullopt;
  std::vector<std::string> skipped;  // the trainer reports these
  auto latest = folder.latest(skipped);
  if (!latest) remark("nothing to resume in {}: starting from step 0\n", shown_path(folder.path()));
  return latest;
}

// Writes the configuration once the run has begun: one that a checkpoint refuses to go on with leaves the file as it was.
class ConfigurationFile final : public TrainingListener {
 public:
  ConfigurationFile(std::filesystem::path path, std::string configuration)
      : path_(std::move(path)), configuration_(std::move(configuration)) {}
  void on_start(const TrainingStart&) override { write_file_atomically(path_, configuration_); }

 private:
  std::filesystem::path path_;
  std::string configuration_;
};

}  // namespace

void train_in_folder(TrainingTask& task, const SessionOptions& session, const TrainerOptions& options, const std::string& configuration) {
  const RunFolder folder(session.out);
  folder.create();
  Progress progress(stdout);
  ConfigurationFile config(folder.config_file(), configuration);
  TrainingLog log(folder.log_file(), session.log);
  TensorBoard tensorboard(folder.path(), session.tensorboard);
  StopSignal stop;
  TrainingRun run = run_of(task, folder, session.resume);
  run.listeners = {&config, &log, &tensorboard, &progress};
  run.stop = &stop.flag();
  run.warn = [&progress](const std::string& message) { progress.note("passed over: " + message); };
  if (Trainer(*task.objective, options, run).train() == TrainingEnd::kInterrupted) {
    remark("a checkpoint is saved; attend train {} --resume --out {} goes on from it\n", task.name, shown_path(session.out));
    throw Interrupted{stop.signal()};
  }
  remark("the model is {}\n", shown_path(folder.model_file()));
  check_remarks();
}

void run_training(const SessionOptions& session, const TrainerOptions& trainer, const std::string& configuration,
                  const PrepareTraining& prepare) {
  if (session.out.empty() && !session.dry_run) throw ConfigError("--out: expected a folder for the run, got none");
  const RunFolder folder(session.out);
  if (!session.dry_run) RunLock::require_free(folder.path());
  if (!session.dry_run && !session.resume) folder.require_unused();
  const RuntimeScope runtime = enter_runtime(session.threads);
  remark("{}\n# {} threads\n", configuration, threads());

  const auto latest = checkpoint_to_resume(folder, session);
  TrainingTask task = prepare(latest ? &latest->checkpoint : nullptr);
  for (const std::string& note : task.notes) remark("# {}\n", note);
  if (session.dry_run) return dry_run(task, trainer);
  train_in_folder(task, session, trainer, configuration);
}

}  // namespace attend
