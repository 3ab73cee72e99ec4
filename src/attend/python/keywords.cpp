#include "attend/python/keywords.h"

#include <fmt/format.h>

#include "attend/core/options/nearest_name.h"
#include "attend/core/strings/quote.h"
#include "attend/error.h"

namespace nb = nanobind;

namespace attend {

namespace {

std::string typed_value(nb::handle value, std::string_view name) {
  if (nb::isinstance<nb::bool_>(value)) return nb::cast<bool>(value) ? "true" : "false";
  return utf8_of(value, name);
}

}  // namespace

std::string utf8_of(nb::handle object, std::string_view name) {
  const nb::str text(object);
  const char* const utf8 = text.c_str();
  if (utf8 != nullptr) return utf8;
  PyErr_Clear();
  throw ConfigError(
      fmt::format("{}: expected text that UTF-8 can write, found a lone surrogate in {}", name,
                  nb::repr(text).c_str()));
}

std::vector<std::string> typed_values(nb::handle value, std::string_view name) {
  std::vector<std::string> values;
  if (nb::isinstance<nb::list>(value) || nb::isinstance<nb::tuple>(value)) {
    for (const nb::handle element : value) values.push_back(typed_value(element, name));
  } else {
    values.push_back(typed_value(value, name));
  }
  return values;
}

void set_keyword(std::span<const OptionField> fields, nb::handle key, nb::handle value) {
  const std::string name = utf8_of(key, "the name of an option");
  if (const OptionField* field = find_option(fields, name))
    return set_option(*field, typed_values(value, name), name);
  std::vector<std::string> names;
  for (const OptionField& known : fields) names.push_back(snake_case(known.name));
  throw ConfigError(fmt::format("unknown option {}{}", quote(name), did_you_mean(name, names)));
}

void set_keywords(std::span<const OptionField> fields, const nb::dict& keywords) {
  for (const auto& [name, value] : keywords) set_keyword(fields, name, value);
}

std::shared_ptr<Runtime> runtime_of(int threads) {
  return threads == 0 ? nullptr : make_runtime({.threads = threads});
}

}  // namespace attend
