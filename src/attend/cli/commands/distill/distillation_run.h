// What `attend distill` does: the teachers of a run, what they write, and the student, one after
// another in a folder. Each resumes where it was stopped.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "attend/cli/binding/options_binding.h"
#include "attend/cli/commands/distill/teacher_runs.h"
#include "attend/cli/commands/train/training_session.h"
#include "attend/tasks/training/trainable.h"
#include "attend/tasks/translation/training/soft_target_text.h"
#include "attend/tasks/translation/training/targets.h"

namespace attend {

struct DistillOptions {
  std::vector<std::string> src, tgt;
  TeacherRunOptions runs;
  TargetOptions targets;
  bool given_targets = true;
  int teacher_top_k = 8;
};

template <class Visitor>
void fields(DistillOptions& o, Visitor&& visit) {
  visit("src", o.src, "more text for the teachers to translate, besides --src-train");
  visit("tgt", o.tgt, "translation of --src, line by line, if there is one");
  fields(o.runs, visit);
  fields(o.targets, visit);
  visit("given-targets", o.given_targets,
        "also learn from the given translations, as far as there are some");
  visit("teacher-top-k", o.teacher_top_k, between(0, kMostSoftTargets),
        "most likely tokens of the teachers to keep on disk for each token of the targets; 0: the "
        "teachers compute all in every step");
}

struct DistillArguments {
  DistillOptions distill;
  SessionOptions session;           // of the student; its teachers, if some are given
  std::unique_ptr<Trainable> task;  // translation
};

// What a part of a distillation takes.
struct StageCost {
  std::string name;
  double seconds = 0;
  std::int64_t memory_bytes = 0;  // of the process, at most
  std::int64_t disk_bytes = 0;    // of models and checkpoints, at most
};

// The cost of each part, in order, as if none was there yet.
using DistillationCost = std::vector<StageCost>;

// The teachers as one translator. Throws DataError for models that do not fit together.
TranslationEngine ensemble_of(const Teachers& teachers);

class DistillationRun {
 public:
  // All must outlive it. Throws ConfigError for options that do not fit together, IoError for texts
  // that cannot be read.
  DistillationRun(DistillArguments& arguments, const IsSet& is_set);

  // Trains the student, after what is missing for it. Throws like train_task() and write_targets().
  void run();
  // Measures a few steps of everything, which leaves nothing behind.
  DistillationCost cost();

 private:
  struct Texts {
    std::vector<std::string> src, tgt;
  };

  bool is_of_vocabulary(const std::string& name) const;
  std::vector<std::string> list(std::string_view name) const;
  std::string text(std::string_view name) const { return list(name).front(); }
  void settle(const std::string& name, const std::vector<std::string>& values);
  LanguagePair languages() const { return {text("src-lang"), text("tgt-lang")}; }
  bool trains_teachers() const { return arguments_.session.run.teachers.empty(); }
  void take_texts();
  void train_teachers();
  // Until the student has what it learns from: files, and probabilities if they count.
  void prepare_student();
  TargetFiles write_targets(const TranslationEngine& teachers) const;
  void write_soft_targets(const TranslationEnsemble& teachers);
  bool soft_targets_count() const { return std::stod(text("distill-weight")) > 0.0; }
  std::filesystem::path folder(const char* part) const;
  // `trained`: whether the teachers write as they will.
  StageCost targets_cost(const Teachers& teachers, bool trained) const;
  TargetSource source() const;
  // Names the languages of the student's files, whose names do not tell.
  void settle_languages(const TranslationModel& teacher);
  // Lowers the student's max-length to the positions of the teachers.
  void fit_lengths(const TranslationEnsemble& teachers);
  void train_on(const Texts& texts);

  DistillArguments& arguments_;
  std::vector<OptionField> fields_;  // of the student
  std::set<std::string> settled_;    // by this
  IsSet is_set_;
  std::set<std::string> vocabulary_;  // names of its options
  bool taught_here_ = false;          // once the teachers have been trained
  Texts pairs_;                       // files of given translations
  Texts texts_;  // to translate; tgt: empty unless all of it has given translations
};

}  // namespace attend
