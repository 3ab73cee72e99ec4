// JSON that came from outside: a file's metadata, a training log. Everything that reads JSON reads
// it through here (a check of the sources sees to it), because the JSON library takes any depth,
// and what walks through a value afterwards, to copy or to print it, has a stack.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string_view>
#include <vector>

namespace attend {

// Lists and objects inside one another, at most. What attend writes has three.
inline constexpr int kDeepestJson = 64;

// Throws DataError "<where>: ..." for text that is not JSON, or is deeper than that.
nlohmann::ordered_json parse_json(std::string_view text, std::string_view where);

// nullopt instead.
std::optional<nlohmann::ordered_json> try_parse_json(std::string_view text);

// A list of ids. Throws DataError "<where>: ..." for anything else, also for numbers that are no
// 32-bit integers.
std::vector<std::int32_t> json_ids(const nlohmann::ordered_json& json, std::string_view where);

// A number that a float can hold. Throws DataError "<where>: ..." for anything else.
float json_float(const nlohmann::ordered_json& json, std::string_view where);

// The member of an object. Throws DataError "<where>: ..." when `json` is no object or has no such
// member.
const nlohmann::ordered_json& json_member(const nlohmann::ordered_json& json, const char* name,
                                          std::string_view where);

}  // namespace attend
