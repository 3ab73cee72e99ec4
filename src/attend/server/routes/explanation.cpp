// The route that says why a model writes a token.
#include <fmt/format.h>

#include "attend/core/quote.h"
#include "attend/server/service.h"
#include "attend/tasks/explanation_json.h"

namespace attend {
namespace {

// What a request asks, apart from its model.
struct ExplanationRequest {
  std::string text, translation;
  bool has_translation = false;
  LanguagePair languages;
  ExplanationOptions options;
};

ExplanationRequest explanation_request(const Parameters& p) {
  ExplanationRequest request{.text = p.text("text"),
                             .translation = p.text("translation"),
                             .has_translation = p.has("translation"),
                             .languages = {p.text("source"), p.text("target")},
                             .options = {}};
  request.options.position = static_cast<int>(p.whole("position", -1, 1'000'000, -1));
  request.options.instead = p.text("instead");
  request.options.alone = p.flag("alone", false);
  request.options.top = static_cast<int>(p.whole("top", 1, 1000, request.options.top));
  return request;
}

bool is_explainable(const ServedModel& model) {
  return model.as<Translator>() != nullptr || model.as<Generator>() != nullptr ||
         model.as<Classifier>() != nullptr;
}

ServedModelPointer explainable_model(const Models& models, const std::string& name) {
  for (const ServedModelPointer& model : *models.all())
    if (is_explainable(*model) && (name.empty() || name == "default" || model->name == name))
      return model;
  throw HttpError{404, name.empty() ? "no model is loaded that can be explained"
                                    : fmt::format("model {}: expected one that translates, "
                                                  "generates or classifies, found none",
                                                  printable(name, 60))};
}

nlohmann::ordered_json explanation_json(const ServedModel& served,
                                        const ExplanationRequest& request) {
  if (const auto* const generator = served.as<Generator>())
    return to_json(generator->explain(request.text, request.options));
  if (const auto* const classifier = served.as<Classifier>())
    return to_json(classifier->explain(request.text, request.options));
  const Translator& translator = *served.as<Translator>();
  TranslationOptions options = translator.default_options();
  if (served.chooses_languages) options.languages = request.languages;
  nlohmann::ordered_json json{{"translation", request.translation}};
  if (request.has_translation) {
    json.update(to_json(
        translator.explain(request.text, request.translation, request.options, options.languages)));
    return json;
  }
  const Translation found = translator.translate(std::span(&request.text, 1), options).front();
  json["translation"] = found.text();
  json.update(to_json(translator.explain(request.text, found.candidates.front(), request.options,
                                         options.languages)));
  return json;
}

void explain_token(const std::shared_ptr<Call>& call) {
  const ServedModelPointer model =
      explainable_model(call->service.models(), call->parameters.text("model"));
  call->service.jobs().run([call, model, request = explanation_request(call->parameters)] {
    try {
      const nlohmann::ordered_json body = explanation_json(*model, request);
      call->spend()(std::ssize(body["tokens"]));
      call->respond(body);
    } catch (...) {
      call->fail(std::current_exception());
    }
  });
}

}  // namespace

std::vector<Route> explanation_routes() {
  return {{"POST",
           "/explain",
           "attend",
           "Say why a model writes a token and not another one, or chooses a class",
           {{"text", FieldType::text, "text to translate, to continue or to classify", true},
            {"translation", FieldType::text, "translation to explain; default: the model's"},
            {"position", FieldType::whole,
             "token to explain, from 0; default: the first one of a translation, or what follows "
             "a text"},
            {"instead", FieldType::text,
             "word, token or class to compare with; default: the most probable other one"},
            {"alone", FieldType::flag, "split the logit alone, not a difference of two (false)"},
            {"top", FieldType::whole, "most probable tokens of each layer (5)"},
            {"source", FieldType::text, "language of the text, for a model of several"},
            {"target", FieldType::text, "language of the translation, for a model of several"},
            {"model", FieldType::text,
             "name of a model, from /v1/models; default: the first that fits"}},
           R"({"text": "The old dog sleeps.", "position": 2})",
           explain_token}};
}

}  // namespace attend
