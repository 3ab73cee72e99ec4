// An object of a JSON file, read member by member: each with the type that is expected, and nothing
// left over that nobody has asked for.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace attend {

// All functions throw DataError "<where>: <name>: expected ..., found ...". A member that is null
// counts as absent.
class JsonObject {
 public:
  // `json` must live as long; `where` begins the messages.
  JsonObject(const nlohmann::json& json, std::string where);

  const std::string& where() const { return where_; }

  // nullptr when it is absent.
  const nlohmann::json* find(std::string_view name);
  const nlohmann::json& at(std::string_view name);

  bool flag(std::string_view name);
  bool flag(std::string_view name, bool if_absent);
  std::int64_t integer(std::string_view name, std::int64_t least, std::int64_t most);
  std::string text(std::string_view name);
  std::string text(std::string_view name, std::string_view if_absent);
  std::vector<std::int32_t> ids(std::string_view name);
  std::vector<std::string> texts(std::string_view name);
  const nlohmann::json& list(std::string_view name);
  JsonObject object(std::string_view name);
  // The elements of a list, each an object.
  std::vector<JsonObject> objects(std::string_view name);

  // Throws DataError that names a member which has not been asked for.
  void finish() const;

  // "<where>: <name>: expected <what>, found <the member>".
  [[noreturn]] void refuse(std::string_view name, std::string_view what) const;

 private:
  const nlohmann::json* json_;
  std::string where_;
  std::vector<std::string> read_;
};

}  // namespace attend
