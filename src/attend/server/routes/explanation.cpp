// The route that says why a model writes a token.
#include <fmt/format.h>

#include "attend/api/views.h"
#include "attend/core/strings/quote.h"
#include "attend/decode/sampling.h"
#include "attend/inspect/explorer_json.h"
#include "attend/server/routes/exploring.h"
#include "attend/server/routes/inputs.h"
#include "attend/server/work/submission.h"

namespace attend {
namespace {

// What a request asks, apart from its model.
AnswerQuestion question_of(const Parameters& p) {
  AnswerQuestion question{.text = p.text("text")};
  if (p.has("translation")) question.translation = p.text("translation");
  question.options.position = static_cast<int>(p.whole("position", -1, 1'000'000, -1));
  question.options.instead = p.text("instead");
  question.options.alone = p.flag("alone", false);
  question.options.top = static_cast<int>(p.whole("top", 1, 1000, question.options.top));
  question.options.temperature =
      static_cast<float>(p.number("temperature", kTemperatures.least, kTemperatures.most,
                                  double{question.options.temperature}));
  return question;
}

bool is_explainable(const ServedModel& model) {
  return model.is<Translator>() || model.is<Generator>() || model.is<Classifier>();
}

ServedModelPointer explainable_model(const Models& models, const std::string& name) {
  for (const ServedModelPointer& model : models.all())
    if (is_explainable(*model) && (name.empty() || name == "default" || model->name == name))
      return model;
  throw HttpError{404, name.empty() ? "no model is loaded that can be explained"
                                    : fmt::format("model {}: expected one that translates, "
                                                  "generates or classifies, found none",
                                                  printable(name, 60))};
}

void explain_token(const std::shared_ptr<Call>& call) {
  const ServedModelPointer model =
      explainable_model(call->service.models(), call->parameters.text("model"));
  const bool translates = model->is<Translator>();
  AnswerQuestion question = question_of(call->parameters);
  question.languages =
      model->own_names(call->parameters.text("source"), call->parameters.text("target"));
  const auto answered = [call, translates](const AnswerExplanation& found) {
    call->spend()(std::ssize(found.why.tokens));
    return to_json(found, translates);
  };
  if (attention_changes_of(call->parameters) != AttentionChangeOptions{})
    return answer_changed(call, model, [question, answered](const SavedModel& changed) {
      return answered(explain_answer(changed, question));
    });
  run_in_turn(
      call, std::ssize(model->tokenizer.encode(question.text)), [call, model, question, answered] {
        call->respond(
            answered(ModelAccess::loaded(model->loaded().base)->call([&](const SavedModel& m) {
              return explain_answer(m, question);
            })));
      });
}

}  // namespace

std::vector<Route> explanation_routes() {
  return {{"POST",
           "/explain",
           "attend",
           "Explain why a model prefers one token, or one class, to another",
           {{"text", FieldType::text, "text to translate, to continue or to classify", true},
            {"translation", FieldType::text, "translation to explain; default: the model's"},
            {"position", FieldType::whole,
             "token to explain, from 0; default: the first of a translation, or the one that "
             "follows a text"},
            {"instead", FieldType::text,
             "word, token or class to compare with; default: the most probable other one"},
            {"alone", FieldType::flag, "explain the logit alone, not a difference of two (false)"},
            {"top", FieldType::whole, "most probable tokens for each layer (5)"},
            {"temperature", FieldType::number, "divides the logits of all probabilities (1)"},
            kHeadsOffField,
            kBetaField,
            kPositionsOffField,
            kMaskOffField,
            {"source", FieldType::text, "language of the text, for a multilingual model"},
            {"target", FieldType::text, "language of the translation, for a multilingual model"},
            {"model", FieldType::text,
             "name of a model, from /v1/models; default: the first that fits"}},
           R"({"text": "The old dog sleeps.", "position": 2})",
           explain_token}};
}

}  // namespace attend
