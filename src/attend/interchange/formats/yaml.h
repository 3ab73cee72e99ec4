// The YAML that Marian writes: options and vocabularies.
//
//   # a comment                       "</s>": 0
//   type: transformer                 ? "a key on its own line"
//   dim-vocabs:                       : 1
//     - 58101                         'it''s': 2
//     - 58101                         "\x84\u2581\"": 3
//   devices: [0, 1]
//
// One mapping of keys to scalars or lists of scalars. All other YAML (multi-line scalars, nested
// mappings, anchors, tags) is an error with its line number. parse_nested_yaml() also reads
// mappings below a key, which other programs write.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

namespace attend {

// Returns a JSON object. Plain true, false, null, ~ and numbers get their types; all other scalars,
// and all quoted ones, are strings. Throws DataError "<where>, line N: ..." for unsupported YAML
// and for duplicate keys.
nlohmann::json parse_yaml(std::string_view text, std::string_view where);
nlohmann::json parse_nested_yaml(std::string_view text, std::string_view where);

}  // namespace attend
