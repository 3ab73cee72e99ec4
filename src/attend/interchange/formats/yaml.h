// The YAML that Marian writes: options and vocabularies.
//
//   # a comment                       "</s>": 0
//   type: transformer                 ? "a key on its own line"
//   dim-vocabs:                       : 1
//     - 58101                         'it''s': 2
//     - 58101                         "\x84\u2581\"": 3
//   devices: [0, 1]
//
// One dictionary, whose values are single ones or lists of single ones, each on a line. Whatever
// else YAML has (values over several lines, dictionaries in dictionaries, anchors, tags) is an
// error with its line, never a guess.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

namespace attend {

// The dictionary as a JSON object. Plain true, false, null, ~, integers and other numbers are what
// they look like; everything else, and everything in quotes, is a string. Throws DataError
// "<where>, line N: ..." for what is not such a text, and for a key that is there twice.
nlohmann::json parse_yaml(std::string_view text, std::string_view where);

}  // namespace attend
