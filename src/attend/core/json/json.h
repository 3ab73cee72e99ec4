// JSON from outside: the metadata of a file, a training log. All JSON is parsed here
// (check_layers.sh enforces that), because the JSON library accepts any depth, and code that later
// copies or prints a value recurses.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string_view>
#include <vector>

namespace attend {

// Maximum nesting of lists and objects. attend itself writes three levels.
inline constexpr int kDeepestJson = 64;

// Throws DataError "<where>: ..." for text that is not JSON or is nested deeper.
nlohmann::ordered_json parse_json(std::string_view text, std::string_view where);

// As parse_json, for the text of a request: its objects may have at most 256 members, because an
// ordered_json looks at all members for every name.
nlohmann::ordered_json parse_foreign_json(std::string_view text, std::string_view where);

// As parse_json, but sorts the members of objects by name and finds each of them in logarithmic
// time. For large objects, such as vocabularies: an ordered_json looks at all members for every
// name.
nlohmann::json parse_sorted_json(std::string_view text, std::string_view where);

// As parse_json, but returns nullopt instead of throwing.
std::optional<nlohmann::ordered_json> try_parse_json(std::string_view text);

// A list of ids. Throws DataError "<where>: ..." for anything else, including integers beyond 32
// bits.
std::vector<std::int32_t> json_ids(const nlohmann::ordered_json& json, std::string_view where);

// A number in the range of float. Throws DataError "<where>: ..." for anything else.
float json_float(const nlohmann::ordered_json& json, std::string_view where);

// A member of an object. Throws DataError "<where>: ..." if `json` is not an object or lacks the
// member.
const nlohmann::ordered_json& json_member(const nlohmann::ordered_json& json, const char* name,
                                          std::string_view where);

}  // namespace attend
