// Options of another program, as its users write them: in a configuration file or on a command
// line.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace attend {

enum class OptionStyle { yaml, command_line };

struct ForeignOption {
  std::string name;                      // without dashes
  std::vector<std::string> values = {};  // none: a flag, or a key without a value
  std::string from = {};  // what sets it if not the user: "of --arch transformer", "a default"
  bool positional = false;

  bool given() const { return from.empty(); }
};

// "dim-emb: 512", "--max-tokens 4096"; without values: the name alone.
std::string spelled(const ForeignOption& option, OptionStyle style);
std::string spelled_name(const ForeignOption& option, OptionStyle style);

// The keys of a YAML file with their values, in the order of their names; a key within another one
// is "outer.inner". Throws DataError like parse_nested_yaml(), and for a file without keys.
std::vector<ForeignOption> read_yaml_options(std::string_view text, std::string_view where);

// How many words an option takes on a command line. maybe: none or one.
enum class Takes { none, maybe, one, list };

}  // namespace attend
