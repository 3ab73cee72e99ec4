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
// what the route checks itself; file: an uploaded file.
enum class FieldType { text, texts, inputs, whole, number, flag, any, file };

// A parameter of a route, as the documentation shows it.
struct RouteField {
  std::string_view name;
  FieldType type = FieldType::text;
  std::string_view help;
  bool required = false;
};

// Every route takes it: where LibreTranslate's clients put their key.
inline constexpr std::string_view kApiKeyField = "api_key";

// An uploaded file.
struct Upload {
  std::string name;
  std::string content;
};

// All functions throw HttpError for a value of another type or out of range. A member that is null
// counts as absent; members without a description are ignored, as clients send more than a server
// knows.
class Parameters {
 public:
  // Reads the body by its content type, and the query. Throws HttpError for a body that is no such
  // text, and if a required parameter is missing.
  Parameters(const HttpRequest& request, std::span<const RouteField> fields);

  bool has(std::string_view name) const { return find(name) != nullptr; }
  // nullptr if it is absent.
  const nlohmann::ordered_json* find(std::string_view name) const;

  std::string text(std::string_view name, std::string_view if_absent = "") const;
  // One for a string.
  std::vector<std::string> texts(std::string_view name) const;
  bool is_list(std::string_view name) const;
  std::int64_t whole(std::string_view name, std::int64_t least, std::int64_t most,
                     std::int64_t if_absent) const;
  double number(std::string_view name, double least, double most, double if_absent) const;
  bool flag(std::string_view name, bool if_absent) const;

  // nullptr without an uploaded file.
  const Upload* file() const { return file_ ? &*file_ : nullptr; }

  // Afterwards all are absent, and take no memory.
  void clear();

 private:
  void drop_unknown(std::span<const RouteField> fields);
  void read_form(std::string_view name, std::string value, std::span<const RouteField> fields);

  nlohmann::ordered_json json_ = nlohmann::ordered_json::object();
  std::optional<Upload> file_;
};

}  // namespace attend
