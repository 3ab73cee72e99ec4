#include "attend/cli/commands/distill/lesson.h"

#include <fmt/format.h>

#include "attend/cli/commands/distill/classification_lesson.h"
#include "attend/cli/commands/distill/translation_lesson.h"
#include "attend/error.h"
#include "attend/tasks/classification/training.h"
#include "attend/tasks/translation/training/training.h"

namespace attend {

std::unique_ptr<Lesson> lesson_of(std::string_view task) {
  if (task == TranslationTraining::kName) return std::make_unique<TranslationLesson>();
  if (task == ClassificationTraining::kName) return std::make_unique<ClassificationLesson>();
  return nullptr;
}

std::string distill_command(std::string_view task) {
  return task == TranslationTraining::kName ? "attend distill"
                                            : fmt::format("attend distill {}", task);
}

void require_teacher_of(std::string_view task, const Checkpoint& teacher) {
  const auto found = teacher.metadata.find("attend.task");
  if (found == teacher.metadata.end() || found->second == task) return;
  const std::string& other = found->second;
  if (lesson_of(other) != nullptr)
    throw ConfigError(fmt::format("{}: is a model for {}, whose student is trained by `{}`",
                                  teacher.source, other, distill_command(other)));
}

}  // namespace attend
