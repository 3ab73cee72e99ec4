// The routes that list, load and drop models.
#include <fmt/format.h>

#include "attend/server/service.h"

namespace attend {
namespace {

nlohmann::ordered_json model_json(const ServedModel& model) {
  nlohmann::ordered_json json{
      {"name", model.name},        {"path", model.place.path},
      {"task", model.task},        {"bytes", model.state.bytes},
      {"loaded", model.loaded_at}, {"in_memory", model.weights->is_loaded()}};
  if (!model.description.empty()) json["description"] = model.description;
  if (model.is<Classifier>()) json["pairs"] = model.takes_pairs;
  if (!model.sources.empty()) json["sources"] = model.sources;
  if (!model.targets.empty()) json["targets"] = model.targets;
  return json;
}

void list_models(const std::shared_ptr<Call>& call) {
  nlohmann::ordered_json body = nlohmann::ordered_json::array();
  for (const ServedModelPointer& model : call->service.models().all())
    body.push_back(model_json(*model));
  call->respond(body);
}

// Answers with what `change` returns, on the thread for long work.
void change_models(const std::shared_ptr<Call>& call,
                   std::function<nlohmann::ordered_json(Models&)> change) {
  const bool taken = call->service.background().run([call, change = std::move(change)] {
    try {
      call->respond(change(call->service.models()));
    } catch (...) {
      call->fail(std::current_exception());
    }
  });
  if (!taken) throw HttpError{503, "too many models are being loaded", 5};
}

void load_model_of_folder(const std::shared_ptr<Call>& call) {
  const Parameters& p = call->parameters;
  const ModelPlace place{p.text("path"), p.text("name"), p.text("source"), p.text("target")};
  change_models(call, [place](Models& models) { return model_json(*models.load(place)); });
}

void drop_model(const std::shared_ptr<Call>& call) {
  change_models(call, [name = call->parameters.text("name")](Models& models) {
    models.drop(name);
    return nlohmann::ordered_json{{"dropped", name}};
  });
}

}  // namespace

std::vector<Route> model_routes() {
  const std::string_view group = "Models";
  return {{"GET",
           "/models",
           group,
           "List the models with their files and languages",
           {},
           "",
           list_models},
          {"POST",
           "/models",
           group,
           "Load a model from the folder of models; it replaces one of the same name",
           {{"path", FieldType::text, "file or folder of a run, within --models-dir", true},
            {"name", FieldType::text, "name to serve the model by; default: that of the file"},
            {"source", FieldType::text, "language that it translates"},
            {"target", FieldType::text, "language that it translates into"}},
           R"({"path": "en-de.safetensors", "source": "en", "target": "de"})",
           load_model_of_folder,
           Dialect::plain,
           Route::Key::admin},
          {"DELETE",
           "/models",
           group,
           "Drop a model; requests in progress keep it",
           {{"name", FieldType::text, "name of the model", true}},
           R"({"name": "en-de"})",
           drop_model,
           Dialect::plain,
           Route::Key::admin}};
}

}  // namespace attend
