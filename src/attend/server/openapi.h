// The documentation of the routes, made from their table.
#pragma once

#include <nlohmann/json.hpp>
#include <span>
#include <string>

#include "attend/server/route.h"

namespace attend {

// A description in OpenAPI 3.0.
nlohmann::ordered_json openapi_of(std::span<const Route> routes);

// The same as a page for people.
std::string documentation_page(std::span<const Route> routes);

}  // namespace attend
