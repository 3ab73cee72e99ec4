// What teachers of one task leave on disk for their student: the part of a distillation that
// depends on the task.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "attend/cli/commands/parts/part_cost.h"
#include "attend/cli/commands/parts/settled_options.h"
#include "attend/cli/commands/parts/trained_part.h"
#include "attend/tasks/training/initial_model.h"

namespace attend {

// Where it is written, and how the command is resumed.
struct LessonPlace {
  std::filesystem::path out;
  std::string resume_with;
};

class Lesson {
 public:
  virtual ~Lesson() = default;

  // The word after `attend distill`; empty for translators, whose command has none.
  virtual std::string name() const { return std::string(task()); }
  // The student's training, by its name in `attend train`.
  virtual std::string_view task() const = 0;
  // What its command does, for the help.
  virtual std::string help() const = 0;
  // Its options besides those of the training. They refer to this object.
  virtual std::vector<OptionField> fields() = 0;
  // Finds its texts, before anything is done. Throws ConfigError for options that do not fit
  // together, IoError for texts that cannot be read.
  virtual void take_texts(const SettledOptions& student) = 0;
  // Throws ConfigError unless teachers can be trained on what take_texts() has found.
  virtual void require_text_of_teachers() const = 0;
  // Whether --distill-weight weighs it beside labels that the student learns from, too.
  virtual bool is_weighed() const { return false; }
  // How many teachers it can have.
  virtual std::size_t most_teachers() const { return 1024; }
  // Whether the student's training reads the teachers, and has their vocabulary.
  virtual bool student_reads_teachers(const SettledOptions&) const { return false; }
  // Writes what is missing, and lets the student's options name all of it. Throws Interrupted after
  // a signal, ConfigError and DataError for teachers and texts.
  virtual void write(const Teachers& teachers, SettledOptions& student,
                     const LessonPlace& place) = 0;
  // Whether for_use() adds something to the file of --bits.
  virtual bool adds_to_file() const { return false; }
  // The trained student with what makes it faster to use.
  virtual Checkpoint for_use(const Checkpoint& model, const SettledOptions&) const { return model; }
  // Measures what write() takes. The student's options name something as large then, in `scratch`
  // or elsewhere.
  virtual PartCosts measure(const Teachers& teachers, TeacherState state, SettledOptions& student,
                            const std::filesystem::path& scratch) = 0;
};

// The lessons of all kinds of students; that of translators is the first.
std::vector<std::unique_ptr<Lesson>> lessons();

// "attend distill classification"
std::string distill_command(const Lesson& lesson);
// Throws ConfigError for a teacher of another kind, which names the command for its students.
void require_teacher_for(const Lesson& lesson, const Checkpoint& teacher);

}  // namespace attend
