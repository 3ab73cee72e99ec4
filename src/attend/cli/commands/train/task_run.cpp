#include "attend/cli/commands/train/task_run.h"

#include <memory>
#include <string>
#include <utility>

#include "attend/cli/binding/thread_options.h"
#include "attend/interchange/any_model.h"

namespace attend {

namespace {

// Starts from --init-from, unless a checkpoint of the run is there, which has come further, and the
// task needs no other model.
class InitialModel {
 public:
  InitialModel(Trainable& task, const SessionOptions& session, const IsSet& is_set)
      : task_(task), session_(session), is_set_(is_set) {}

  void take() {
    if (session_.run.init_from.empty() || std::exchange(taken_, true)) return;
    const RuntimeScope runtime = enter_runtime(session_.run.threads);
    start_task_from(task_, load_any_model(session_.run.init_from), session_.run, is_set_);
  }
  // Before anything is read of the run.
  void take_if_new() {
    if (task_.needs_initial_model() || !session_.resume ||
        RunFolder(session_.run.out).checkpoints().empty())
      take();
  }

 private:
  Trainable& task_;
  const SessionOptions& session_;
  const IsSet& is_set_;
  bool taken_ = false;
};

// Before anything is read of the run.
void settle_task(Trainable& task, SessionOptions& session, const IsSet& is_set) {
  settle_preset(task, session.run, is_set);
  session.tell_cost = !is_set("d-model") && session.run.init_from.empty();
  task.adopt_data(is_set);
}

}  // namespace

Teachers load_teachers(const RunOptions& run) {
  const RuntimeScope runtime = enter_runtime(run.threads);
  Teachers teachers;
  for (const std::string& path : run.teachers)
    teachers.push_back(std::make_shared<const Checkpoint>(load_any_model(path)));
  return teachers;
}

void train_task(Trainable& task, SessionOptions& session, const IsSet& is_set) {
  settle_task(task, session, is_set);
  InitialModel initial(task, session, is_set);
  initial.take_if_new();
  if (!session.run.teachers.empty()) task.learn_from(load_teachers(session.run), is_set);
  run_training(session, task.trainer(), resolved_configuration(session.run, task.option_groups()),
               [&](const Checkpoint* resumed) {
                 if (resumed == nullptr) initial.take();
                 return prepare_in_folder(task, session.run, resumed);
               });
}

TrainingTask prepare_task(Trainable& task, SessionOptions& session, const IsSet& is_set,
                          const Checkpoint* resumed) {
  settle_task(task, session, is_set);
  InitialModel initial(task, session, is_set);
  if (resumed == nullptr || task.needs_initial_model()) initial.take();
  if (!session.run.teachers.empty()) task.learn_from(load_teachers(session.run), is_set);
  return task.prepare(resumed);
}

TrainingTask prepare_task(Trainable& task, SessionOptions& session, const IsSet& is_set,
                          Teachers teachers) {
  settle_task(task, session, is_set);
  InitialModel(task, session, is_set).take();
  if (!teachers.empty()) task.learn_from(std::move(teachers), is_set);
  return task.prepare(nullptr);
}

}  // namespace attend
