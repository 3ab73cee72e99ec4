#include "attend/server/routes/exploring.h"

#include <fmt/format.h>

#include <utility>

#include "attend/core/strings/quote.h"
#include "attend/server/service.h"

namespace attend {

AttentionChangeOptions attention_changes_of(const Parameters& parameters) {
  return {parameters.texts(kHeadsOffField.name), parameters.texts(kBetaField.name),
          parameters.flag(kPositionsOffField.name, false),
          parameters.flag(kMaskOffField.name, false)};
}

ServedModelPointer explored_model(const Call& call) {
  const std::string name = call.parameters.text(kExploredModelField.name);
  for (const ServedModelPointer& model : call.service.models().all())
    if (name.empty() ? !model->is<Tagger>() : model->name == name) return model;
  throw HttpError{404, name.empty() ? "there is no model to explore"
                                    : fmt::format("there is no model {}", quote(name))};
}

LanguagePair explored_languages(const Parameters& parameters, const ServedModel& model) {
  if (!model.chooses_languages) return {};
  return model.own_names(parameters.text(kSourceField.name, model.sources.front()),
                         parameters.text(kTargetField.name, model.targets.front()));
}

void answer_changed(const std::shared_ptr<Call>& call, const ServedModelPointer& served,
                    std::function<nlohmann::ordered_json(const SavedModel& model)> answer) {
  call->service.explorers().run(
      [call, served, changes = attention_changes_of(call->parameters), answer = std::move(answer)] {
        if (call->exchange->is_abandoned()) return;
        try {
          const auto explorer = call->service.explorers().of(*served);
          call->respond(answer(*explorer->changed_model(changes)));
        } catch (...) {
          call->fail(std::current_exception());
        }
      });
}

}  // namespace attend
