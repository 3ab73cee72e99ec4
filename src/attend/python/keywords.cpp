#include "attend/python/keywords.h"

#include <fmt/format.h>

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
  set_option_named(fields, name, typed_values(value, name));
}

void set_keywords(std::span<const OptionField> fields, const nb::dict& keywords) {
  for (const auto& [name, value] : keywords) set_keyword(fields, name, value);
}

IsGiven given_in(const nb::dict& keywords) {
  return [&keywords](const std::string& name) { return keywords.contains(name.c_str()); };
}

std::shared_ptr<Runtime> runtime_of(int threads) {
  return threads == 0 ? nullptr : make_runtime({.threads = threads});
}

}  // namespace attend
