#include "attend/core/json/json_object.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "attend/core/strings/quote.h"
#include "attend/error.h"

namespace attend {

JsonObject::JsonObject(const nlohmann::json& json, std::string where)
    : json_(&json), where_(std::move(where)) {
  if (!json.is_object()) throw DataError(fmt::format("{}: expected an object", where_));
}

const nlohmann::json* JsonObject::find(std::string_view name) {
  read_.emplace_back(name);
  const auto found = json_->find(read_.back());
  return found == json_->end() || found->is_null() ? nullptr : &*found;
}

const nlohmann::json& JsonObject::at(std::string_view name) {
  const nlohmann::json* const found = find(name);
  if (found == nullptr)
    throw DataError(fmt::format("{}: expected an object with {}", where_, quote(name)));
  return *found;
}

void JsonObject::refuse(std::string_view name, std::string_view what) const {
  const auto found = json_->find(std::string(name));
  const std::string shown =
      found == json_->end() || found->size() > 100
          ? "something else"
          : quote(found->dump(-1, ' ', true, nlohmann::json::error_handler_t::replace));
  throw DataError(fmt::format("{}: {}: expected {}, found {}", where_, name, what, shown));
}

bool JsonObject::flag(std::string_view name) {
  const nlohmann::json& value = at(name);
  if (!value.is_boolean()) refuse(name, "true or false");
  return value.get<bool>();
}

bool JsonObject::flag(std::string_view name, bool if_absent) {
  return find(name) == nullptr ? if_absent : flag(name);
}

std::int64_t JsonObject::integer(std::string_view name, std::int64_t least, std::int64_t most) {
  const nlohmann::json& value = at(name);
  if (!value.is_number_integer() || value < least || value > most)
    refuse(name, fmt::format("a whole number from {} to {}", least, most));
  return value.get<std::int64_t>();
}

std::string JsonObject::text(std::string_view name) {
  const nlohmann::json& value = at(name);
  if (!value.is_string()) refuse(name, "text");
  return value.get<std::string>();
}

std::string JsonObject::text(std::string_view name, std::string_view if_absent) {
  return find(name) == nullptr ? std::string(if_absent) : text(name);
}

const nlohmann::json& JsonObject::list(std::string_view name) {
  const nlohmann::json& value = at(name);
  if (!value.is_array()) refuse(name, "a list");
  return value;
}

std::vector<std::int32_t> JsonObject::ids(std::string_view name) {
  constexpr std::int64_t kMost = std::numeric_limits<std::int32_t>::max();
  std::vector<std::int32_t> ids;
  for (const nlohmann::json& id : list(name)) {
    if (!id.is_number_integer() || id < 0 || id > kMost) refuse(name, "a list of ids");
    ids.push_back(id.get<std::int32_t>());
  }
  return ids;
}

std::vector<std::string> JsonObject::texts(std::string_view name) {
  std::vector<std::string> texts;
  for (const nlohmann::json& text : list(name)) {
    if (!text.is_string()) refuse(name, "a list of texts");
    texts.push_back(text.get<std::string>());
  }
  return texts;
}

JsonObject JsonObject::object(std::string_view name) {
  return {at(name), fmt::format("{}: {}", where_, name)};
}

std::vector<JsonObject> JsonObject::objects(std::string_view name) {
  std::vector<JsonObject> objects;
  for (const nlohmann::json& element : list(name))
    objects.emplace_back(element, fmt::format("{}: {} {}", where_, name, objects.size() + 1));
  return objects;
}

void JsonObject::finish() const {
  for (const auto& [name, value] : json_->items()) {
    if (std::find(read_.begin(), read_.end(), name) == read_.end())
      throw DataError(fmt::format("{}: {} is not known", where_, quote(name)));
  }
}

}  // namespace attend
