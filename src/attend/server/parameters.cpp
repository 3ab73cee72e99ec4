#include "attend/server/parameters.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>
#include <type_traits>

#include "attend/core/json/json.h"
#include "attend/core/json/json_search.h"
#include "attend/core/json/json_text.h"
#include "attend/core/options/nearest_name.h"
#include "attend/core/strings/quote.h"
#include "attend/core/strings/utf8.h"
#include "attend/error.h"
#include "attend/server/http/form.h"

namespace attend {
namespace {

using Json = nlohmann::ordered_json;

[[noreturn]] void refuse_value(std::string_view name, std::string_view expected,
                               const Json& found) {
  throw HttpError{400, fmt::format("{}: expected {}, got {}", name, expected,
                                   quote(found.is_structured() && found.size() > 100
                                             ? std::string("something else")
                                             : json_text(found)))};
}

Json json_of(std::string_view body) {
  try {
    Json json = parse_foreign_json(body, "body");
    if (!json.is_object()) throw HttpError{400, "body: expected a JSON object"};
    return json;
  } catch (const DataError& error) {
    throw HttpError{400, error.what()};
  }
}

template <class Number>
std::optional<Json> number_in_form(const std::string& value) {
  Number number = 0;
  const char* const end = value.data() + value.size();
  const auto parsed = std::from_chars(value.data(), end, number);
  if (parsed.ec != std::errc() || parsed.ptr != end) return std::nullopt;
  if constexpr (std::is_floating_point_v<Number>)
    if (!std::isfinite(number)) return std::nullopt;
  return number;
}

// A number or a truth written in a form; the text itself if it is neither.
Json value_in_form(std::string value, FieldType type) {
  if (type == FieldType::whole || type == FieldType::number || type == FieldType::fixed) {
    if (const auto number = number_in_form<std::uint64_t>(value)) return *number;
    if (const auto number = number_in_form<std::int64_t>(value)) return *number;
    if (const auto number = number_in_form<double>(value)) return *number;
  }
  if (type == FieldType::fixed && (value == "true" || value == "false")) return value == "true";
  if (type == FieldType::flag && (value == "true" || value == "1")) return true;
  if (type == FieldType::flag && (value == "false" || value == "0")) return false;
  return value;
}

// nullopt: it is none of 64 bits.
std::optional<std::int64_t> whole_number(const Json& value) {
  constexpr double kEnd = 9223372036854775808.0;  // 2^63
  if (value.is_number_unsigned()) {
    const auto number = value.get<std::uint64_t>();
    if (number > static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max()))
      return std::nullopt;
    return static_cast<std::int64_t>(number);
  }
  if (value.is_number_integer()) return value.get<std::int64_t>();
  const double number = value.is_number_float() ? value.get<double>() : std::nan("");
  if (!(number >= -kEnd && number < kEnd) || std::trunc(number) != number) return std::nullopt;
  return static_cast<std::int64_t>(number);
}

// Throws HttpError unless the value is one of those that change nothing.
void require_fixed(const RouteField& field, const Json& value) {
  const Json values = parse_json(field.fixed, field.name);
  if (std::find(values.begin(), values.end(), value) != values.end()) return;
  std::string expected;
  for (const Json& one : values) expected += (expected.empty() ? "" : " or ") + json_text(one);
  refuse_value(field.name, fmt::format("{}, as nothing else is supported", expected), value);
}

std::string key_in_fields(const std::vector<FormField>& fields) {
  for (const FormField& field : fields)
    if (field.name == kApiKeyField) return field.value;
  return {};
}

// What a body is, by its content type.
enum class BodyKind { none, form, parts, json, other };

BodyKind kind_of_body(const HttpRequest& request, const std::string& type) {
  // A body of GET says nothing.
  if (request.method == "GET" || request.method == "HEAD" || request.body.empty())
    return BodyKind::none;
  const bool is_form = type == "application/x-www-form-urlencoded";
  if (is_form && request.body.front() != '{') return BodyKind::form;
  if (type == "multipart/form-data") return BodyKind::parts;
  // curl -d calls JSON a form.
  const bool is_json = type == "application/json" || type == "text/json" || type.ends_with("+json");
  return is_form || is_json || type.empty() || type == "text/plain" ? BodyKind::json
                                                                    : BodyKind::other;
}

}  // namespace

std::string api_key_of(const HttpRequest& request) {
  try {
    std::string key = key_in_fields(parse_form(request.query));
    if (!key.empty()) return key;
    const std::string_view content = request.headers.find("content-type");
    switch (kind_of_body(request, media_type(content))) {
      case BodyKind::form:
        return key_in_fields(parse_form(request.body));
      case BodyKind::parts:
        return key_in_fields(parse_multipart(request.body, content));
      case BodyKind::json:
        return text_member_of_json(request.body, kApiKeyField);
      case BodyKind::none:
      case BodyKind::other:
        break;
    }
  } catch (const HttpError&) {  // a form that cannot be read: whoever has a key is told so
  }
  return {};
}

Parameters::Parameters(const HttpRequest& request, std::span<const RouteField> fields) {
  for (FormField& field : parse_form(request.query))
    read_form(field.name, std::move(field.value), fields);
  const std::string_view content = request.headers.find("content-type");
  const std::string type = media_type(content);
  switch (kind_of_body(request, type)) {
    case BodyKind::none:
      break;
    case BodyKind::form:
      for (FormField& field : parse_form(request.body))
        read_form(field.name, std::move(field.value), fields);
      break;
    case BodyKind::parts:
      for (FormField& field : parse_multipart(request.body, content)) {
        if (field.name == "file") {
          file_ = Upload{std::move(field.file), std::move(field.value)};
        } else {
          read_form(field.name, std::move(field.value), fields);
        }
      }
      break;
    case BodyKind::json:
      json_.update(json_of(request.body));
      break;
    case BodyKind::other:
      throw HttpError{415,
                      fmt::format("Content-Type: expected JSON or a form, got {}", quote(type))};
  }
  if (request.method != "GET" && request.method != "HEAD") refuse_unknown(fields);
  keep_known(fields);
  for (const RouteField& field : fields) {
    if (field.type == FieldType::fixed && has(field.name)) require_fixed(field, *find(field.name));
    const bool there = field.type == FieldType::file ? file_.has_value() : has(field.name);
    if (field.required && !there) throw HttpError{400, fmt::format("{} is required", field.name)};
  }
}

void Parameters::refuse_unknown(std::span<const RouteField> fields) const {
  const auto takes_file = [](const RouteField& field) { return field.type == FieldType::file; };
  if (file_ && std::none_of(fields.begin(), fields.end(), takes_file))
    throw HttpError{400, "file: this route takes no file"};
  for (const auto& [name, value] : json_.items()) {
    const auto is_it = [&own = name](const RouteField& field) { return field.name == own; };
    if (value.is_null() || name == kApiKeyField || std::any_of(fields.begin(), fields.end(), is_it))
      continue;
    std::vector<std::string> names;
    for (const RouteField& field : fields) names.emplace_back(field.name);
    const std::string meant = did_you_mean(name, names);
    throw HttpError{400,
                    fmt::format("there is no parameter {}{}", quote(name),
                                meant.empty() ? "; GET /docs lists those of the route" : meant)};
  }
}

// What nobody reads could take ten times the memory of its text for as long as the request takes.
void Parameters::keep_known(std::span<const RouteField> fields) {
  auto known = nlohmann::ordered_json::object();
  const auto keep = [&](std::string_view name) {
    const auto found = json_.find(std::string(name));
    if (found != json_.end()) known[std::string(name)] = std::move(*found);
  };
  for (const RouteField& field : fields)
    if (field.type != FieldType::ignored) keep(field.name);
  keep(kApiKeyField);
  json_ = std::move(known);
}

void Parameters::read_form(std::string_view name, std::string value,
                           std::span<const RouteField> fields) {
  const auto field = std::find_if(fields.begin(), fields.end(),
                                  [&](const RouteField& one) { return one.name == name; });
  if (!is_utf8(name)) throw HttpError{400, "a parameter: expected a name in UTF-8"};
  if (!is_utf8(value)) throw HttpError{400, fmt::format("{}: expected UTF-8", name)};
  Json& own = json_[std::string(name)];
  // A name given several times is a list.
  const FieldType type = field == fields.end() ? FieldType::text : field->type;
  if ((type == FieldType::texts || type == FieldType::inputs) && !own.is_null()) {
    if (!own.is_array()) own = Json::array({own});
    own.push_back(std::move(value));
  } else {
    own = value_in_form(std::move(value), type);
  }
}

void Parameters::clear() {
  json_ = Json::object();
  file_.reset();
}

const Json* Parameters::find(std::string_view name) const {
  const auto found = json_.find(std::string(name));
  return found == json_.end() || found->is_null() ? nullptr : &*found;
}

std::string Parameters::text(std::string_view name, std::string_view if_absent) const {
  const Json* const value = find(name);
  if (value == nullptr) return std::string(if_absent);
  if (!value->is_string()) refuse_value(name, "a string", *value);
  return value->get<std::string>();
}

std::vector<std::string> Parameters::texts(std::string_view name) const {
  const Json* const value = find(name);
  if (value == nullptr) return {};
  if (value->is_string()) return {value->get<std::string>()};
  if (!value->is_array()) refuse_value(name, "a string or a list of strings", *value);
  std::vector<std::string> texts;
  for (const Json& text : *value) {
    if (!text.is_string()) refuse_value(name, "strings", text);
    texts.push_back(text.get<std::string>());
  }
  return texts;
}

bool Parameters::is_list(std::string_view name) const {
  const Json* const value = find(name);
  return value != nullptr && value->is_array();
}

std::int64_t Parameters::whole(std::string_view name, std::int64_t least, std::int64_t most,
                               std::int64_t if_absent) const {
  const Json* const value = find(name);
  if (value == nullptr) return if_absent;
  const std::optional<std::int64_t> number = whole_number(*value);
  if (!number || *number < least || *number > most)
    refuse_value(name, fmt::format("a whole number from {} to {}", least, most), *value);
  return *number;
}

std::uint64_t Parameters::seed(std::string_view name, std::uint64_t if_absent) const {
  const Json* const value = find(name);
  if (value == nullptr) return if_absent;
  if (value->is_number_unsigned()) return value->get<std::uint64_t>();
  const std::optional<std::int64_t> number = whole_number(*value);
  if (!number) refuse_value(name, "a whole number of 64 bits", *value);
  return static_cast<std::uint64_t>(*number);
}

double Parameters::number(std::string_view name, double least, double most,
                          double if_absent) const {
  const Json* const value = find(name);
  if (value == nullptr) return if_absent;
  const double number = value->is_number() ? value->get<double>() : std::nan("");
  if (!(number >= least && number <= most))
    refuse_value(name, fmt::format("a number from {} to {}", least, most), *value);
  return number;
}

bool Parameters::flag(std::string_view name, bool if_absent) const {
  const Json* const value = find(name);
  if (value == nullptr) return if_absent;
  if (!value->is_boolean()) refuse_value(name, "true or false", *value);
  return value->get<bool>();
}

const Json* Parameters::object(std::string_view name,
                               std::span<const std::string_view> members) const {
  const Json* const value = find(name);
  if (value == nullptr) return nullptr;
  if (!value->is_object()) refuse_value(name, "an object", *value);
  for (const auto& [member, content] : value->items())
    if (!content.is_null() && std::find(members.begin(), members.end(), member) == members.end())
      throw HttpError{400, fmt::format("{}: expected no member but {}, got {}", name,
                                       fmt::join(members, ", "), quote(member))};
  return value;
}

}  // namespace attend
