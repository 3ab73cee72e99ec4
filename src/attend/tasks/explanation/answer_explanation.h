// Why a model of any kind answers a text as it does: why it translates, continues or classifies it
// so.
#pragma once

#include <optional>
#include <string>

#include "attend/explanation.h"
#include "attend/tasks/model_file/saved_model.h"
#include "attend/translator.h"

namespace attend {

struct AnswerQuestion {
  std::string text;
  std::optional<std::string> translation = {};  // the one to explain; none: the model's own
  LanguagePair languages = {};
  ExplanationOptions options = {};
};

struct AnswerExplanation {
  std::string translation;  // that is explained; empty for a model that does not translate
  OutputExplanation why;
};

// Throws like explain() (tasks/explanation/explanation.h) and TranslationEngine::translate(),
// ConfigError for a translation by a model that writes none, and DataError for a kind of model that
// is not explained.
AnswerExplanation explain_answer(const SavedModel& model, const AnswerQuestion& question);

}  // namespace attend
