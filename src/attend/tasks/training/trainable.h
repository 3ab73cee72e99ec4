// A task that can be trained, independent of its options: the interface that `attend train` uses.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "attend/core/options/option_error.h"
#include "attend/core/options/option_fields.h"
#include "attend/error.h"
#include "attend/tasks/model_file/adapter.h"
#include "attend/tasks/preparation/prepared_text.h"
#include "attend/tasks/training/initial_model.h"
#include "attend/tasks/training/training_task.h"
#include "attend/train/trainer.h"

namespace attend {

// Owns the options of a run. registry.h makes one for each task.
class Trainable {
 public:
  virtual ~Trainable() = default;

  // Returns the name in `attend train`: "translation", "lm", "classification", "embedding"
  virtual std::string_view name() const = 0;
  virtual std::string_view help() const = 0;
  // Groups the options by subject. The fields refer to options of this object.
  virtual std::vector<OptionGroup> option_groups() = 0;
  virtual const TrainerOptions& trainer() const = 0;
  // Whether start_from() has to be called for a resumed run, too.
  virtual bool needs_initial_model() const = 0;
  // Training starts from this model: the options of the vocabulary and the architecture become its
  // own, and training options that the user has not set, too. Throws ConfigError if the user has
  // set one of the former to something else, DataError for a model of another task or a quantized
  // one.
  virtual void start_from(std::shared_ptr<const Checkpoint> model, const IsSet& is_set) = 0;
  // Training learns the mean of the probabilities of these models, too, which have one vocabulary:
  // that of start_from(), which is called before, else training takes it. Of a resumed run, too.
  // Throws ConfigError if the user has set another vocabulary, and for a task that learns from
  // texts alone; DataError for models of another task.
  virtual void learn_from(Teachers teachers, const IsSet& is_set) = 0;
  // Settles defaults that depend on other options. If the training text is prepared, takes the
  // options from it that it settles: the vocabulary, the lengths. Before start_from(). Throws
  // ConfigError if the user has set one of them to something else, and like open_prepared().
  virtual void adopt_data(const IsSet& is_set) = 0;
  // To be called once: the model of start_from() is released. Throws what the prepare_training() of
  // the task throws.
  virtual TrainingTask prepare(const Checkpoint* resumed) = 0;

  // A line to print before those of prepare(): what was done to the model before start_from().
  void add_note(std::string note) { notes_.push_back(std::move(note)); }

 protected:
  std::vector<std::string> notes_;
};

// Options is a struct with kName, kHelp, members `trainer` and `initial` (the model to start from,
// or null), and functions groups(), adopt_model(), which returns what it leaves open,
// prepare_training() and, where they apply, settle_defaults(), for defaults that depend on other
// options, and adopt_prepared(), for text that can be prepared.
template <class Options>
class TrainableWith final : public Trainable {
 public:
  std::string_view name() const override { return Options::kName; }
  std::string_view help() const override { return Options::kHelp; }
  std::vector<OptionGroup> option_groups() override { return attend::option_groups(options_); }
  const TrainerOptions& trainer() const override { return options_.trainer; }
  bool needs_initial_model() const override {
    if constexpr (requires { options_.needs_initial(); })
      if (options_.needs_initial()) return true;
    return options_.trainer.low_rank.rank > 0;
  }
  void start_from(std::shared_ptr<const Checkpoint> model, const IsSet& is_set) override {
    require_trainable(*model);
    Options given = options_;
    const OpenOptions open = adopt_model(options_, *model);
    settle_options(option_groups(), attend::option_groups(given), is_set, open, model->source);
    options_.initial = std::move(model);
  }
  void learn_from(Teachers teachers, const IsSet& is_set) override {
    if constexpr (requires { options_.teachers; }) {
      if (!options_.initial) {
        Options given = options_;
        adopt_vocabulary(options_, *teachers.front());
        settle_options(option_groups(), attend::option_groups(given), is_set, {},
                       teachers.front()->source);
      }
      options_.teachers = std::move(teachers);
    } else {
      throw OptionError<ConfigError>("{}: {} learns from texts alone", as_key("teachers"), name());
    }
  }
  void adopt_data(const IsSet& is_set) override {
    if constexpr (requires { settle_defaults(options_, is_set); })
      settle_defaults(options_, is_set);
    if constexpr (requires { adopt_prepared(options_); }) {
      Options given = options_;
      const std::string text = adopt_prepared(options_);
      require_adopted(option_groups(), attend::option_groups(given), is_set, text);
    }
  }
  TrainingTask prepare(const Checkpoint* resumed) override {
    const bool adapts = options_.trainer.low_rank.rank > 0;
    require_same_kind(resumed, options_.trainer.low_rank);
    if (adapts && !options_.initial)
      throw OptionError<ConfigError>("{}: expected a model to adapt ({}), got none",
                                     as_key("lora-rank"), as_flag("init-from"));
    TrainingTask task = prepare_training(options_, adapts ? nullptr : resumed);
    if (adapts) train_adapters(task, options_.trainer, *options_.initial, resumed);
    options_.initial.reset();  // training needs its memory
    if constexpr (requires { options_.teachers; }) options_.teachers.clear();
    freeze_parameters(task.objective->parameters(), options_.trainer);
    task.notes.insert(task.notes.begin(), notes_.begin(), notes_.end());
    return task;
  }

 private:
  Options options_;
};

}  // namespace attend
