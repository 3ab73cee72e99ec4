// The parameters of a request, from JSON or a form, by the description of its route.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "attend/server/http/message.h"

namespace attend {

// text: a string; texts: a string or a list of strings; inputs: that, or pairs of strings; any:
// what the route checks itself; file: an uploaded file; fixed: one of the values of `fixed`;
// ignored: any value, which changes no answer.
enum class FieldType { text, texts, inputs, whole, number, flag, any, file, fixed, ignored };

// A parameter of a route, as the documentation shows it.
struct RouteField {
  std::string_view name;
  FieldType type = FieldType::text;
  std::string_view help;
  bool required = false;
  std::string_view fixed = {};  // a JSON list
};

// A parameter of other servers that is taken only with values that change nothing: those of a JSON
// list.
constexpr RouteField fixed_field(std::string_view name, std::string_view values) {
  return {name, FieldType::fixed, "other values are not supported", false, values};
}
// One that says nothing about the answer.
constexpr RouteField ignored_field(std::string_view name) {
  return {name, FieldType::ignored, "changes nothing"};
}

// Every route takes it: where LibreTranslate's clients put their key.
inline constexpr std::string_view kApiKeyField = "api_key";

// The value of that parameter, found without reading the others; empty if there is none, or the
// request cannot be read.
std::string api_key_of(const HttpRequest& request);

// An uploaded file.
struct Upload {
  std::string name;
  std::string content;
};

// All functions throw HttpError for a value of another type or out of range. A member that is null
// counts as absent.
class Parameters {
 public:
  // Reads the body by its content type, and the query. Throws HttpError for a body that is no such
  // text, for a parameter that has no description (it might change the answer; GET ignores it), for
  // a value that is not among the fixed ones, and if a required parameter is missing.
  Parameters(const HttpRequest& request, std::span<const RouteField> fields);

  bool has(std::string_view name) const { return find(name) != nullptr; }
  // nullptr if it is absent.
  const nlohmann::ordered_json* find(std::string_view name) const;

  std::string text(std::string_view name, std::string_view if_absent = "") const;
  // One for a string.
  std::vector<std::string> texts(std::string_view name) const;
  bool is_list(std::string_view name) const;
  // Also takes 3.0 for 3.
  std::int64_t whole(std::string_view name, std::int64_t least, std::int64_t most,
                     std::int64_t if_absent) const;
  // Any number of 64 bits; a negative one is the unsigned one with its bits.
  std::uint64_t seed(std::string_view name, std::uint64_t if_absent) const;
  double number(std::string_view name, double least, double most, double if_absent) const;
  bool flag(std::string_view name, bool if_absent) const;
  // An object with no members but these that are not null; nullptr if it is absent.
  const nlohmann::ordered_json* object(std::string_view name,
                                       std::span<const std::string_view> members) const;

  // nullptr without an uploaded file.
  const Upload* file() const { return file_ ? &*file_ : nullptr; }

  // Afterwards all are absent, and take no memory.
  void clear();

 private:
  void refuse_unknown(std::span<const RouteField> fields) const;
  void keep_known(std::span<const RouteField> fields);
  void read_form(std::string_view name, std::string value, std::span<const RouteField> fields);

  nlohmann::ordered_json json_ = nlohmann::ordered_json::object();
  std::optional<Upload> file_;
};

}  // namespace attend
