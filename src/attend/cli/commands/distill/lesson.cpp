#include "attend/cli/commands/distill/lesson.h"

#include <fmt/format.h>

#include "attend/cli/commands/distill/classification_lesson.h"
#include "attend/cli/commands/distill/embedding_lesson.h"
#include "attend/cli/commands/distill/reranking_lesson.h"
#include "attend/cli/commands/distill/translation_lesson.h"
#include "attend/error.h"

namespace attend {

std::vector<std::unique_ptr<Lesson>> lessons() {
  std::vector<std::unique_ptr<Lesson>> all;
  all.push_back(std::make_unique<TranslationLesson>());
  all.push_back(std::make_unique<ClassificationLesson>());
  all.push_back(std::make_unique<EmbeddingLesson>());
  all.push_back(std::make_unique<RerankingLesson>());
  return all;
}

std::string distill_command(const Lesson& lesson) {
  return lesson.name().empty() ? "attend distill" : "attend distill " + lesson.name();
}

void require_teacher_for(const Lesson& lesson, const Checkpoint& teacher) {
  const auto found = teacher.metadata.find("attend.task");
  if (found == teacher.metadata.end() || found->second == lesson.task()) return;
  for (const std::unique_ptr<Lesson>& other : lessons())
    if (found->second == other->task())
      throw ConfigError(fmt::format("{}: is a model for {}, whose student is trained by `{}`",
                                    teacher.source, found->second, distill_command(*other)));
}

}  // namespace attend
