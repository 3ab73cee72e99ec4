#include "attend/interchange/formats/pickle_json.h"

#include <fmt/format.h>

#include <string>

#include "attend/error.h"

namespace attend {

namespace {

constexpr int kDeepest = 32;
constexpr std::size_t kMostSettings = std::size_t{1} << 20;

class PickledSettings {
 public:
  explicit PickledSettings(const Pickle& pickle) : pickle_(pickle) {}

  nlohmann::json json_of(const PickleValue& value, int depth) {
    if (depth > kDeepest || ++count_ > kMostSettings)
      throw DataError(
          fmt::format("{}: its settings are deeper than {} or more than {}, or contain themselves",
                      pickle_.where(), kDeepest, kMostSettings));
    switch (value.kind) {
      case PickleKind::none:
        return nullptr;
      case PickleKind::boolean:
        return value.integer != 0;
      case PickleKind::integer:
        return value.integer;
      case PickleKind::number:
        return value.number;
      case PickleKind::text:
        return std::string(value.text);
      case PickleKind::tuple:
      case PickleKind::list:
        return array_of(value, depth);
      case PickleKind::dictionary:
        return object_of(value, depth);
      default:
        break;
    }
    const bool has_attributes = value.kind == PickleKind::call && value.items.size() > 2 &&
                                pickle_[value.items[2]].kind == PickleKind::dictionary;
    if (has_attributes) return object_of(pickle_[value.items[2]], depth);
    return nlohmann::json::array({fmt::format("<{}>", name_of(value.kind))});
  }

 private:
  nlohmann::json array_of(const PickleValue& value, int depth) {
    nlohmann::json array = nlohmann::json::array();
    for (const PickleRef item : value.items) array.push_back(json_of(pickle_[item], depth + 1));
    return array;
  }

  nlohmann::json object_of(const PickleValue& value, int depth) {
    nlohmann::json object = nlohmann::json::object();
    for (std::size_t i = 0; i < value.items.size(); i += 2)
      if (const PickleValue& key = pickle_[value.items[i]]; key.kind == PickleKind::text)
        object[std::string(key.text)] = json_of(pickle_[value.items[i + 1]], depth + 1);
    return object;
  }

  const Pickle& pickle_;
  std::size_t count_ = 0;
};

}  // namespace

nlohmann::json pickled_json(const Pickle& pickle, const PickleValue& value) {
  return PickledSettings(pickle).json_of(value, 0);
}

}  // namespace attend
