// Keyword arguments of Python as options: the names, ranges and messages of the command line.
#pragma once

#include <nanobind/nanobind.h>

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "attend/api/named_options.h"
#include "attend/core/options/option_fields.h"
#include "attend/runtime.h"

namespace attend {

// The value of the option `name` as it would be typed after a flag: a list's elements, else one
// text. Throws as utf8_of() does. Needs the GIL.
std::vector<std::string> typed_values(nanobind::handle value, std::string_view name);

// str(object) in UTF-8. Throws ConfigError, with `name` before it, for a lone surrogate, which has
// no UTF-8. Needs the GIL.
std::string utf8_of(nanobind::handle object, std::string_view name);

// Sets the option of that name in snake_case, or each of `keywords`. Throws ConfigError for an
// unknown name, with the nearest one, and for a value out of range. Needs the GIL.
void set_keyword(std::span<const OptionField> fields, nanobind::handle name,
                 nanobind::handle value);
void set_keywords(std::span<const OptionField> fields, const nanobind::dict& keywords);

// Whether one of `keywords` has a name. They must outlive the result, which needs the GIL.
IsGiven given_in(const nanobind::dict& keywords);

// A runtime with this many threads; 0: the default one of the process, as null. Throws ConfigError.
std::shared_ptr<Runtime> runtime_of(int threads);

}  // namespace attend
