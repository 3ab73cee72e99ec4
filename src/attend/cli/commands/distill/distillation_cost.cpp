// The cost of a distillation, by a few steps of each of its parts.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <utility>

#include "attend/checkpoint/parameters.h"
#include "attend/cli/binding/thread_options.h"
#include "attend/cli/commands/distill/distillation_run.h"
#include "attend/cli/commands/train/task_run.h"
#include "attend/core/files/lines.h"
#include "attend/core/strings/counted.h"
#include "attend/train/measurement.h"

namespace attend {

namespace {

constexpr std::size_t kMeasuredSentences = 128;

// An optimizer keeps at most two moments of each parameter.
constexpr std::int64_t kNumbersInCheckpoint = 3;

StageCost training_cost(std::string name, TrainingTask& task, const TrainerOptions& options) {
  const TrainingMeasurement measured =
      measure_training(*task.objective, options, {.savings = false});
  const std::int64_t steps = planned_steps(*task.objective, options);
  const std::int64_t all = options.save_every > 0 ? 1 + steps / options.save_every : 1;
  const std::int64_t kept =
      options.keep_checkpoints > 0 ? std::min<std::int64_t>(all, options.keep_checkpoints) : all;
  const std::int64_t bytes = measured.parameters * std::int64_t{sizeof(float)};
  return {std::move(name), measured.seconds_for(steps), measured.process_bytes,
          bytes * (1 + kNumbersInCheckpoint * kept)};
}

// A model with the parameters that it begins with.
Checkpoint untrained(const TrainingTask& task) {
  Checkpoint checkpoint;
  task.model->describe(checkpoint);
  add_parameters(checkpoint, task.objective->parameters(), task.objective->parameters().values());
  return checkpoint;
}

struct Sample {
  std::vector<std::string> first;  // lines
  std::int64_t lines = 0;
  std::int64_t bytes = 0;
};

Sample sample_of(const std::vector<std::string>& files) {
  Sample sample;
  std::string line;
  for (const std::string& file : files) {
    LineReader lines(file);
    while (lines.next(line)) {
      ++sample.lines;
      sample.bytes += std::ssize(line) + 1;
      if (sample.first.size() < kMeasuredSentences) sample.first.push_back(line);
    }
  }
  return sample;
}

}  // namespace

StageCost DistillationRun::targets_cost(const Teachers& teachers, bool trained) const {
  const TranslationEngine engine = ensemble_of(teachers);
  const Sample text = sample_of(texts_.src);
  const TargetOptions& o = arguments_.distill.targets;
  TranslationOptions decoding = engine.default_options();
  decoding.languages = languages();
  decoding.beam.beam_size = o.beam_size;
  // Untrained ones write until they must end; the translation is about as long as its source.
  if (!trained) {
    std::int64_t tokens = 0;
    for (const std::string& line : text.first)
      tokens += std::ssize(engine.model().src_tokenizer.encode(line)) + 1;
    decoding.beam.max_length = static_cast<int>(tokens / std::ssize(text.first)) + 1;
  }
  const auto begin = std::chrono::steady_clock::now();
  engine.translate(text.first, "line ",
                   {.accept = [](const Translation&) {}, .reject = [](const LineError&) {}},
                   decoding);
  const double seconds =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  const double each = seconds / static_cast<double>(text.first.size());
  const std::int64_t copies = o.targets == TargetChoice::sample ? o.samples : 1;
  return {fmt::format("targets of {}", counted(text.lines, "sentence")),
          each * static_cast<double>(text.lines * copies), 0, 2 * text.bytes * copies};
}

DistillationCost DistillationRun::cost() {
  const RuntimeScope runtime = enter_runtime(arguments_.session.run.threads);
  DistillationCost cost;
  const bool trained = !trains_teachers();
  Teachers teachers;
  if (trained) {
    teachers = load_teachers(arguments_.session.run);
  } else {
    const int runs = arguments_.distill.runs.runs;
    RunVariant teacher =
        teacher_run(*arguments_.task, arguments_.session, is_set_, arguments_.distill.runs, 1);
    TrainingTask task = prepare_task(*teacher.task, teacher.session, teacher.is_set, Teachers{});
    const auto model = std::make_shared<const Checkpoint>(untrained(task));
    teachers.assign(static_cast<std::size_t>(runs), model);
    taught_here_ = true;
    StageCost one = training_cost(counted(runs, "teacher"), task, teacher.task->trainer());
    one.seconds *= runs;
    one.disk_bytes *= runs;
    cost.push_back(std::move(one));
  }
  if (arguments_.distill.targets.targets != TargetChoice::none)
    cost.push_back(targets_cost(teachers, trained));
  // The text stands for its targets, which are as long.
  settle_languages(translation_model(*teachers.front()));
  train_on(pairs_.src.empty() ? Texts{texts_.src, texts_.src} : pairs_);
  // With probabilities on disk, a pass of the teachers over the text is what they take.
  if (!soft_targets_count()) teachers.clear();
  TrainingTask student =
      prepare_task(*arguments_.task, arguments_.session, is_set_, std::move(teachers));
  cost.push_back(training_cost("student", student, arguments_.task->trainer()));
  return cost;
}

}  // namespace attend
