#include "attend/server/openapi.h"

#include <fmt/format.h>

#include "attend/core/json/json.h"
#include "attend/core/strings/ascii.h"
#include "attend/core/strings/html.h"
#include "attend/version.h"

namespace attend {
namespace {

using Json = nlohmann::ordered_json;

Json schema_of(const RouteField& field) {
  switch (field.type) {
    case FieldType::text:
      return {{"type", "string"}};
    case FieldType::texts:
      return {
          {"oneOf", {{{"type", "string"}}, {{"type", "array"}, {"items", {{"type", "string"}}}}}}};
    case FieldType::inputs:
      return {
          {"oneOf",
           {{{"type", "string"}},
            {{"type", "array"}, {"items", {{"type", "string"}}}},
            {{"type", "array"},
             {"items",
              {{"type", "array"},
               {"items", {{"type", "string"}}},
               {"minItems", 1},
               {"maxItems", 2}}}},
            {{"type", "object"},
             {"properties", {{"text", {{"type", "string"}}}, {"text_pair", {{"type", "string"}}}}},
             {"required", {"text"}}}}}};
    case FieldType::whole:
      return {{"type", "integer"}};
    case FieldType::number:
      return {{"type", "number"}};
    case FieldType::flag:
      return {{"type", "boolean"}};
    case FieldType::file:
      return {{"type", "string"}, {"format", "binary"}};
    case FieldType::fixed:
      return {{"enum", parse_json(field.fixed, field.name)}};
    case FieldType::any:
    case FieldType::ignored:
      break;
  }
  return Json::object();
}

// The help of a parameter.
std::string description_of(const RouteField& field) {
  if (field.type != FieldType::fixed) return std::string(field.help);
  const Json values = parse_json(field.fixed, field.name);
  std::string list;
  for (const Json& value : values) list += (list.empty() ? "only " : " or ") + value.dump();
  return fmt::format("{}; {}", list, field.help);
}

bool takes_file(const Route& route) {
  for (const RouteField& field : route.fields)
    if (field.type == FieldType::file) return true;
  return false;
}

Json body_of(const Route& route) {
  Json properties = Json::object(), required = Json::array();
  for (const RouteField& field : route.fields) {
    Json schema = schema_of(field);
    schema["description"] = description_of(field);
    properties[std::string(field.name)] = std::move(schema);
    if (field.required) required.push_back(field.name);
  }
  Json schema{{"type", "object"}, {"properties", std::move(properties)}};
  if (!required.empty()) schema["required"] = std::move(required);
  Json content{{"schema", std::move(schema)}};
  if (!route.example.empty()) content["example"] = parse_json(route.example, "example");
  return {{"required", true},
          {"content", {{takes_file(route) ? "multipart/form-data" : "application/json", content}}}};
}

std::string_view type_name_of(FieldType type) {
  switch (type) {
    case FieldType::text:
      return "string";
    case FieldType::texts:
      return "string or list of strings";
    case FieldType::inputs:
      return "string, pair of strings, or list of either";
    case FieldType::whole:
      return "integer";
    case FieldType::number:
      return "number";
    case FieldType::flag:
      return "true or false";
    case FieldType::file:
      return "file";
    case FieldType::any:
    case FieldType::fixed:
    case FieldType::ignored:
      break;
  }
  return "";
}

constexpr std::string_view kPageHead =
    "<!doctype html><html lang=en><meta charset=utf-8>"
    "<meta name=viewport content=\"width=device-width\"><title>attend: routes</title><style>"
    "body{font:16px/1.5 system-ui,sans-serif;max-width:50rem;margin:2rem auto;padding:0 1rem;"
    "color-scheme:light dark}pre{overflow:auto;padding:.7rem;border:1px solid #8886;"
    "border-radius:4px}table{border-collapse:collapse}td{padding:.1rem 1rem .1rem 0;"
    "vertical-align:top}h3{margin-top:2rem}</style><h1>Routes</h1>"
    "<p>Generated from the server's table of routes. Programs can read the same as "
    "<a href=/openapi.json>OpenAPI</a>.";

std::string section_of(const Route& route) {
  std::string page = fmt::format("<h3><code>{} {}</code></h3><p>{}.", route.method, route.path,
                                 escaped_html(route.summary));
  if (!route.fields.empty()) page += "<table>";
  for (const RouteField& field : route.fields)
    page +=
        fmt::format("<tr><td><code>{}</code>{}<td>{}<td>{}", field.name, field.required ? " *" : "",
                    type_name_of(field.type), escaped_html(description_of(field)));
  if (!route.fields.empty()) page += "</table>";
  if (!route.example.empty())
    page += fmt::format(
        "<pre>curl http://127.0.0.1:8080{} -H 'Content-Type: application/json' -d '{}'</pre>",
        route.path, escaped_html(route.example));
  return page;
}

}  // namespace

Json openapi_of(std::span<const Route> routes) {
  Json paths = Json::object();
  for (const Route& route : routes) {
    Json operation{{"tags", {route.group}}, {"summary", route.summary}};
    if (route.method != "GET") operation["requestBody"] = body_of(route);
    operation["responses"] = {{"200", {{"description", "the answer"}}},
                              {"default", {{"description", "an error"}}}};
    if (route.key != Route::Key::none)
      operation["security"] = Json::array({Json::object(), {{"key", Json::array()}}});
    paths[std::string(route.path)][ascii_lower(route.method)] = std::move(operation);
  }
  return {
      {"openapi", "3.0.3"},
      {"info", {{"title", "attend"}, {"version", version()}}},
      {"paths", std::move(paths)},
      {"components", {{"securitySchemes", {{"key", {{"type", "http"}, {"scheme", "bearer"}}}}}}}};
}

std::string documentation_page(std::span<const Route> routes) {
  std::string page(kPageHead);
  std::string_view group;
  for (const Route& route : routes) {
    if (route.group != group) page += fmt::format("<h2>{}</h2>", escaped_html(route.group));
    group = route.group;
    page += section_of(route);
  }
  return page + "\n";
}

}  // namespace attend
