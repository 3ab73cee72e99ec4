#include "attend/core/json/json.h"

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <limits>
#include <string>

#include "attend/core/strings/quote.h"
#include "attend/error.h"

namespace attend {

namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t kMostMembers = 256;

// Thrown through the parser, which destroys its partial result.
struct TooDeep {};
struct TooManyMembers {};

// Returns a discarded value if the text is not JSON.
template <class AnyJson>
AnyJson parse_bounded(std::string_view text, std::size_t most_members) {
  using Event = typename AnyJson::parse_event_t;
  // The library takes a zero byte for the end of the text.
  if (text.find('\0') != text.npos) return AnyJson(AnyJson::value_t::discarded);
  std::array<std::size_t, kDeepestJson + 1> members{};  // so far, of the objects that are open
  const auto bound = [&](int depth, Event event, AnyJson&) {
    const bool opens = event == Event::object_start || event == Event::array_start;
    if (opens && depth >= kDeepestJson) throw TooDeep();
    const auto level = static_cast<std::size_t>(depth);
    if (event == Event::object_start) members[level + 1] = 0;
    if (event == Event::key && ++members[level] > most_members) throw TooManyMembers();
    return true;
  };
  return AnyJson::parse(text.begin(), text.end(), bound, /*allow_exceptions=*/false);
}

template <class AnyJson>
AnyJson parse_or_throw(std::string_view text, std::string_view where,
                       std::size_t most_members = std::numeric_limits<std::size_t>::max()) {
  try {
    AnyJson json = parse_bounded<AnyJson>(text, most_members);
    if (!json.is_discarded()) return json;
  } catch (const TooDeep&) {
    throw DataError(fmt::format("{}: expected at most {} nested lists and objects, found more",
                                where, kDeepestJson));
  } catch (const TooManyMembers&) {
    throw DataError(
        fmt::format("{}: expected objects of at most {} members, found more", where, most_members));
  }
  throw DataError(fmt::format("{}: expected JSON, found {}", where, quote(text)));
}

}  // namespace

Json parse_json(std::string_view text, std::string_view where) {
  return parse_or_throw<Json>(text, where);
}

Json parse_foreign_json(std::string_view text, std::string_view where) {
  return parse_or_throw<Json>(text, where, kMostMembers);
}

nlohmann::json parse_sorted_json(std::string_view text, std::string_view where) {
  return parse_or_throw<nlohmann::json>(text, where);
}

std::optional<Json> try_parse_json(std::string_view text) {
  try {
    Json json = parse_bounded<Json>(text, std::numeric_limits<std::size_t>::max());
    return json.is_discarded() ? std::nullopt : std::optional(std::move(json));
  } catch (const TooDeep&) {
    return std::nullopt;
  }
}

std::vector<std::int32_t> json_ids(const Json& json, std::string_view where) {
  if (!json.is_array()) throw DataError(fmt::format("{}: expected a list of ids", where));
  std::vector<std::int32_t> ids;
  ids.reserve(json.size());
  for (const Json& id : json) {
    // Ids are never negative; the library represents integers beyond 64 bits as floats.
    if (!id.is_number_unsigned() ||
        id.get<std::uint64_t>() > std::uint64_t{std::numeric_limits<std::int32_t>::max()})
      throw DataError(fmt::format("{}: expected ids, found {}", where,
                                  quote(id.dump(-1, ' ', true, Json::error_handler_t::replace))));
    ids.push_back(static_cast<std::int32_t>(id.get<std::uint64_t>()));
  }
  return ids;
}

float json_float(const Json& json, std::string_view where) {
  const double value =
      json.is_number() ? json.get<double>() : std::numeric_limits<double>::quiet_NaN();
  if (!(std::abs(value) <= double{std::numeric_limits<float>::max()}))
    throw DataError(fmt::format("{}: expected a number, found {}", where,
                                quote(json.dump(-1, ' ', true, Json::error_handler_t::replace))));
  return static_cast<float>(value);
}

const Json& json_member(const Json& json, const char* name, std::string_view where) {
  const auto found = json.is_object() ? json.find(name) : json.end();
  if (!json.is_object() || found == json.end())
    throw DataError(fmt::format("{}: expected an object with {}", where, quote(name)));
  return *found;
}

}  // namespace attend
