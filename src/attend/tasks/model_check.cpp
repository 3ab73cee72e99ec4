#include "attend/tasks/model_check.h"

#include "attend/tasks/classification/golden.h"
#include "attend/tasks/language/golden.h"
#include "attend/tasks/model_kind.h"
#include "attend/tasks/translation/golden.h"

namespace attend {

std::optional<ModelCheck> check_model(const Checkpoint& checkpoint) {
  const std::string& task = checkpoint.text("attend.task");
  const auto check = [](const auto& model, const auto& golden) { return ModelCheck{golden.size(), golden_deviation(model, golden)}; };
  if (!checkpoint.metadata.contains("attend.golden")) return std::nullopt;
  if (task == kTranslation) return check(translation_model(checkpoint), golden_sentences(checkpoint));
  if (task == kClassification) return check(classification_model(checkpoint), golden_texts(checkpoint));
  if (task == kLanguageModelling) return check(language_model(checkpoint), golden_passages(checkpoint));
  return std::nullopt;
}

void add_golden_samples(Checkpoint& checkpoint) {
  const std::string& task = checkpoint.text("attend.task");
  if (task == kTranslation) add_golden_sentences(checkpoint);
  if (task == kClassification) add_golden_texts(checkpoint);
  if (task == kLanguageModelling) add_golden_passages(checkpoint);
}

}  // namespace attend
