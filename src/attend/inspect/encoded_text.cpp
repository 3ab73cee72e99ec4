#include "attend/inspect/encoded_text.h"

#include <fmt/format.h>

#include <span>

#include "attend/error.h"
#include "attend/inspect/scored_pair.h"

namespace attend {

ClassifiedText classified_text(const ClassificationEngine& classifier, const std::string& text) {
  const ClassificationModel& model = classifier.model();
  if (model.pairs || model.problem_type() == ProblemType::regression)
    throw ConfigError(fmt::format("{}: expected a classifier of single texts, found one of {}",
                                  model.source, model.pairs ? "pairs" : "numbers"));
  page_tokens(model.tokenizer, text, "the text");
  return {text, model.ids(text), classifier.classify(std::span(&text, 1)).front(), {}};
}

ClassifiedText explained_text(const ClassificationEngine& classifier, const std::string& text) {
  ClassifiedText result = classified_text(classifier, text);
  result.effects = word_effects(classifier, text, result.classes.label);
  return result;
}

EmbeddedText embedded_text(const EmbeddingModel& model, const std::string& text) {
  page_tokens(model.tokenizer, text, "the text");
  EmbeddedText result{text, model.ids(text)};
  require_page_length(result.ids, "the text");
  return result;
}

}  // namespace attend
