#include "attend/inspect/drawn_text.h"

#include <span>
#include <utility>

#include "attend/tasks/language/engine.h"
#include "attend/tasks/model_file/model_reading.h"
#include "attend/tasks/translation/engine.h"

namespace attend {

namespace {

SamplingOptions sampling_of(const DrawQuestion& question) {
  return {.temperature = question.temperature,
          .max_length = question.max_tokens,
          .seed = question.seed};
}

DrawnText drawn_from(const TranslationModel& model, const DrawQuestion& question) {
  const TranslationEngine translator(model);
  TranslationOptions options = translator.default_options();
  options.beam = {.n_best = 1};
  options.sampling = sampling_of(question);
  options.languages = question.languages;
  if (!question.prefix.empty()) options.prefixes = {question.prefix};
  Translation found = translator.translate(std::span(&question.text, 1), options).front();
  TranslationCandidate& drawn = found.candidates.front();
  const bool complete = drawn.token_scores.size() > drawn.tokens.size();  // with that of the end
  return {std::move(drawn.text), drawn.log_probability, complete};
}

DrawnText drawn_from(const LanguageModel& model, const DrawQuestion& question) {
  const GenerationEngine generator(model);
  GenerationOptions options = generator.default_options();
  options.sampling = sampling_of(question);
  options.max_tokens = question.max_tokens;
  options.one_line = model.text.has_lines();
  Generation drawn = generator.generate(question.text, options);
  return {std::move(drawn.text), drawn.score, drawn.complete};
}

}  // namespace

DrawnText drawn_text(const SavedModel& model, const DrawQuestion& question) {
  return visit_model(
      model, [&](const TranslationModel& m) { return drawn_from(m, question); },
      [&](const LanguageModel& m) { return drawn_from(m, question); },
      [](const SavedModel& m) -> DrawnText {
        throw wrong_task(m.source, "translation or language modeling", m.task());
      });
}

}  // namespace attend
