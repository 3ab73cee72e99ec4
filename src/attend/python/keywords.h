// Keyword arguments of Python as options: the names, ranges and messages of the command line.
#pragma once

#include <nanobind/nanobind.h>

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "attend/core/option_fields.h"
#include "attend/runtime.h"

namespace attend {

// The text of a value as it would be typed after a flag: a list's elements, else one. Needs the
// GIL.
std::vector<std::string> typed_values(nanobind::handle value);

// Sets the option of that name in snake_case, or each of `keywords`. Throws ConfigError for an
// unknown name, with the nearest one, and for a value out of range. Needs the GIL.
void set_keyword(std::span<const OptionField> fields, nanobind::handle name,
                 nanobind::handle value);
void set_keywords(std::span<const OptionField> fields, const nanobind::dict& keywords);

// A runtime with so many threads; 0: the default one of the process, as null. Throws ConfigError.
std::shared_ptr<Runtime> runtime_of(int threads);

}  // namespace attend
