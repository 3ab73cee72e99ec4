// What users do with a model file: `attend info`, and one use of what it is for.
#pragma once

#include <string>

namespace attend {

// Returns what became of it, for the statistics: "used", or the beginning of an error's kind.
// Throws what a user must never meet: an exception that is none of attend's, or std::logic_error
// for output that is not what it should be.
std::string use_model(const std::string& path);

}  // namespace attend
