#include "attend/training.h"

#include <nanobind/stl/filesystem.h>
#include <nanobind/stl/map.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <fmt/format.h>

#include <atomic>
#include <chrono>
#include <optional>

#include "attend/python/keywords.h"
#include "attend/python/module.h"
#include "attend/python/released.h"
#include "attend/python/values.h"

namespace nb = nanobind;

namespace attend {

namespace {

// Calls Python from a training. What a handler of signals raises (Ctrl-C) is kept and stops the
// training after the step, so that it saves a checkpoint. A step that takes longer than the
// patience is given up. Any other exception ends the training at once.
class PythonListener {
 public:
  explicit PythonListener(const nb::callable& listener) : listener_(listener) {}

  template <class Report>
  void operator()(const Report& report) {
    const nb::gil_scoped_acquire acquired;
    check_signals();
    try {
      listener_(report);
    } catch (nb::python_error& error) {
      if (!error.matches(PyExc_KeyboardInterrupt)) throw;
      keep(error);
    }
  }

  // For Released.
  void look() {
    if (interruption_ && std::chrono::steady_clock::now() - interrupted_ > kPatience) rethrow();
    check_signals();
  }

  const std::atomic<bool>* stop() const { return &stop_; }
  // The interruption, if there was one.
  void rethrow() const {
    if (!interruption_) return;
    const nb::gil_scoped_acquire acquired;
    throw PythonInterruption{*interruption_};
  }

 private:
  static constexpr std::chrono::milliseconds kPatience{300};

  void check_signals() {
    try {
      look_at_signals();
    } catch (const PythonInterruption& interruption) {
      keep(interruption.error);
    }
  }

  // The first of several.
  void keep(const nb::python_error& error) {
    if (interruption_) return;
    const nb::gil_scoped_acquire acquired;
    interruption_.emplace(error);
    interrupted_ = std::chrono::steady_clock::now();
    stop_ = true;
  }

  const nb::callable& listener_;
  std::atomic<bool> stop_ = false;
  std::optional<nb::python_error> interruption_;
  std::chrono::steady_clock::time_point interrupted_;
};

std::vector<TrainingOption> training_options(const nb::dict& keywords) {
  std::vector<TrainingOption> options;
  for (const auto& [key, value] : keywords) {
    const std::string name = utf8_of(key, "the name of an option");
    options.emplace_back(name, typed_values(value, name));
  }
  return options;
}

// The arguments that are no options of the task.
struct PythonJob {
  std::string task;
  std::filesystem::path folder, config;
  bool resume = false;
};

TrainingResult train_in_python(const PythonJob& python, const nb::dict& keywords,
                               const nb::callable& listener) {
  PythonListener forward(listener);
  TrainingJob job;
  job.task = python.task;
  job.folder = python.folder;
  job.config = python.config;
  job.resume = python.resume;
  job.options = training_options(keywords);
  job.stop = forward.stop();
  job.on_step = [&](const StepReport& report) { forward(report); };
  job.on_validation = [&](const ValidationReport& report) { forward(report); };
  job.on_note = [&](const std::string& note) { forward(note); };
  TrainingResult result;
  {
    const Released released([&] { forward.look(); });
    result = train(job);
    forward.rethrow();
  }
  return result;
}

void add_reports(nb::module_& module) {
  using Step = StepReport;
  nb::class_<Step> step(module, "StepReport", "An update of a training.");
  step.def_ro("step", &StepReport::step, "From 1.")
      .def_ro("epoch", &StepReport::epoch, "From 1.")
      .def_ro("loss", &StepReport::loss, "Per target token, label smoothing included.")
      .def_ro("nll", &StepReport::nll, "Negative log-likelihood per target token, in nats.")
      .def_ro("learning_rate", &StepReport::learning_rate)
      .def_ro("gradient_norm", &StepReport::gradient_norm, "Before clipping.")
      .def_ro("tokens", &StepReport::tokens, "Target tokens of this update.")
      .def_ro("tokens_per_second", &StepReport::tokens_per_second)
      .def_ro("seconds", &StepReport::seconds, "Time that the run has taken.")
      .def("__repr__", [](const StepReport& r) {
        return fmt::format("StepReport(step={}, loss={:.4f})", r.step, r.loss);
      });
  add_value_members(step, &Step::step, &Step::epoch, &Step::loss, &Step::nll, &Step::learning_rate,
                    &Step::gradient_norm, &Step::tokens, &Step::tokens_per_second, &Step::seconds,
                    &Step::source_tokens);
  using Validated = ValidationReport;
  nb::class_<Validated> validated(module, "ValidationReport", "A validation of a training.");
  validated.def_ro("step", &ValidationReport::step)
      .def_ro("epoch", &ValidationReport::epoch)
      .def_ro("loss", &ValidationReport::loss)
      .def_ro("nll", &ValidationReport::nll, "Over the whole validation set.")
      .def_prop_ro(
          "metrics",
          [](const ValidationReport& r) {
            return std::map<std::string, double>(r.metrics.begin(), r.metrics.end());
          },
          "Metrics of the task, such as bleu or accuracy.")
      .def_ro("best", &ValidationReport::best, "Better than all before.")
      .def_ro("seconds", &ValidationReport::seconds)
      .def("__repr__", [](const ValidationReport& r) {
        return fmt::format("ValidationReport(step={}, nll={:.4f})", r.step, r.nll);
      });
  add_value_members(validated, &Validated::step, &Validated::epoch, &Validated::loss,
                    &Validated::nll, &Validated::metrics, &Validated::best, &Validated::seconds,
                    &Validated::averaged);
}

}  // namespace

void add_training(nb::module_& module) {
  add_reports(module);
  module.def(
      "train",
      [](const std::string& task, const std::filesystem::path& folder,
         const std::filesystem::path& config, bool resume, const nb::dict& options,
         const nb::callable& listener) {
        return train_in_python({task, folder, config, resume}, options, listener).model;
      },
      nb::arg("task"), nb::arg("folder"), nb::arg("config"), nb::arg("resume"), nb::arg("options"),
      nb::arg("listener"), "Returns the path of the model.");
}

}  // namespace attend
