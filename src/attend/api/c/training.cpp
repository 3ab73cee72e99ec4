// Training with a callback of C.
#include "attend/training.h"

#include <atomic>
#include <utility>

#include "attend/api/c/call.h"
#include "attend/core/options/option_fields.h"

namespace attend {
namespace {

// Hands reports on to a callback, and stops the training when it or the cancellation says so.
class ProgressListener {
 public:
  ProgressListener(attend_on_progress on_progress, void* user, attend_cancellation* cancellation)
      : on_progress_(on_progress), user_(user), cancellation_(cancellation) {}

  void on_step(const StepReport& report) {
    stepped_ = true;
    attend_progress progress{};
    progress.event = ATTEND_STEP;
    progress.step = report.step;
    progress.epoch = report.epoch;
    progress.loss = report.loss;
    progress.nll = report.nll;
    progress.learning_rate = report.learning_rate;
    progress.gradient_norm = report.gradient_norm;
    progress.tokens = report.tokens;
    progress.source_tokens = report.source_tokens;
    progress.tokens_per_second = report.tokens_per_second;
    progress.seconds = report.seconds;
    tell(progress);
  }

  void on_validation(const ValidationReport& report) {
    std::vector<const char*> names;
    std::vector<double> values;
    for (const auto& [name, value] : report.metrics) {
      names.push_back(name.c_str());
      values.push_back(value);
    }
    attend_progress progress{};
    progress.event = ATTEND_VALIDATION;
    progress.best = report.best ? 1 : 0;
    progress.step = report.step;
    progress.epoch = report.epoch;
    progress.loss = report.loss;
    progress.nll = report.nll;
    progress.seconds = report.seconds;
    progress.metric_count = std::ssize(names);
    progress.metric_names = names.data();
    progress.metric_values = values.data();
    tell(progress);
  }

  void on_note(const std::string& line) {
    attend_progress progress{};
    progress.event = ATTEND_NOTE;
    progress.note = line.c_str();
    tell(progress);
  }

  // Before the first step there is nothing to save.
  void look() {
    if (cancellation_ == nullptr || !cancellation_->is_asked()) return;
    stop_ = true;
    if (!stepped_) throw CallCancelled();
  }

  const std::atomic<bool>* stop() const { return &stop_; }

 private:
  void tell(const attend_progress& progress) {
    if (on_progress_ != nullptr && on_progress_(user_, &progress) != 0) stop_ = true;
    look();
  }

  const attend_on_progress on_progress_;
  void* const user_;
  attend_cancellation* const cancellation_;
  std::atomic<bool> stop_ = false;
  bool stepped_ = false;
};

// Options of `attend train` that are members of a job.
struct JobOptions {
  std::string config;
  bool resume = false;
};
template <class Visitor>
void fields(JobOptions& o, Visitor&& visit) {
  visit("config", o.config, "a TOML file of options");
  visit("resume", o.resume, "continue from the newest checkpoint");
}

void set_job_options(TrainingJob& job, const attend_options& options) {
  JobOptions own;
  const std::vector<OptionField> fields = option_fields(own);
  for (const TrainingOption& option : options.list) {
    if (find_option(fields, option.name) != nullptr)
      set_option_named(fields, option.name, option.values);
    else
      job.options.push_back(option);
  }
  job.config = own.config;
  job.resume = own.resume;
}

std::unique_ptr<attend_result> result_of(const TrainingResult& training) {
  ResultChoice choice;
  choice.text = training.model.string();
  choice.index = training.steps;
  choice.complete = training.end != TrainingEnd::interrupted;
  if (training.best) choice.score = static_cast<float>(training.best->loss);
  auto result = std::make_unique<attend_result>();
  result->items.emplace_back().choices.push_back(std::move(choice));
  return result;
}

}  // namespace
}  // namespace attend

attend_result* attend_train(const char* task, const char* folder, const attend_options* options,
                            attend_on_progress on_progress, void* user,
                            attend_cancellation* cancellation, attend_error** error) {
  return attend::made_by(error, [&] {
    attend::TrainingJob job;
    job.task = attend::required_text(task, "task");
    job.folder = attend::required_text(folder, "folder");
    if (options != nullptr) attend::set_job_options(job, *options);
    attend::ProgressListener listener(on_progress, user, cancellation);
    job.stop = listener.stop();
    job.on_step = [&](const attend::StepReport& report) { listener.on_step(report); };
    job.on_validation = [&](const attend::ValidationReport& report) {
      listener.on_validation(report);
    };
    job.on_note = [&](const std::string& line) { listener.on_note(line); };
    listener.look();
    const attend::InterruptionScope scope([&] { listener.look(); });
    return attend::result_of(attend::train(job));
  });
}
