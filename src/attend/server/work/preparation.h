// How the texts of a request are prepared for the model: as the request says, or else `attend
// serve`.
#pragma once

#include <vector>

#include "attend/server/models/served_model.h"
#include "attend/server/route.h"
#include "attend/tasks/text_preparer.h"

namespace attend {

// Appends the parameters of routes that take them, "lowercase" and the like.
std::vector<RouteField> with_preparation(std::vector<RouteField> fields);
// The same with those of translations.
std::vector<RouteField> with_target_preparation(std::vector<RouteField> fields);

// Throws ConfigError, which names the model, for options that its requests cannot have.
void require_preparation(const ServedModel& model, const TextPreparation& preparation);

// Takes the server's options, and those of the request in their place. Throws HttpError and
// ConfigError.
TextPreparation preparation_of(const Call& call);
// Prepares what the model reads. Throws the same.
TextPreparer preparer_of(const Call& call, const ServedModel& model);

}  // namespace attend
