#include "attend/tasks/explanation/answer_explanation.h"

#include <fmt/format.h>

#include <span>

#include "attend/error.h"
#include "attend/tasks/explanation/explanation.h"
#include "attend/tasks/model_file/model_reading.h"
#include "attend/tasks/translation/engine.h"

namespace attend {

namespace {

AnswerExplanation explained_translation(const TranslationModel& model,
                                        const AnswerQuestion& question) {
  if (question.translation)
    return {*question.translation, explain(model, question.text, *question.translation,
                                           question.options, question.languages)};
  const TranslationEngine translator(model);
  TranslationOptions options = translator.default_options();
  options.languages = question.languages;
  const Translation found = translator.translate(std::span(&question.text, 1), options).front();
  return {found.text(), explain(model, question.text, target_ids(model, found.candidates.front()),
                                question.options, question.languages)};
}

// For models that write no translation.
template <class Model>
AnswerExplanation explained_text(const Model& model, const AnswerQuestion& question) {
  if (question.translation)
    throw ConfigError(
        fmt::format("translation: expected a model for translation, got one for {}", model.task()));
  return {"", explain(model, question.text, question.options)};
}

}  // namespace

AnswerExplanation explain_answer(const SavedModel& model, const AnswerQuestion& question) {
  return visit_model(
      model, [&](const TranslationModel& m) { return explained_translation(m, question); },
      [&](const LanguageModel& m) { return explained_text(m, question); },
      [&](const ClassificationModel& m) { return explained_text(m, question); },
      [](const SavedModel& m) -> AnswerExplanation {
        throw wrong_task(m.source, "translation, language modeling or classification", m.task());
      });
}

}  // namespace attend
