// What becomes of the options of a program: a table with a rule for each.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "attend/interchange/migration/migration.h"

namespace attend {

struct MigrationRule {
  std::string_view name;  // theirs
  // Decides the fate of the option, and may decide that of others that belong to it.
  void (*apply)(Migration&, const ForeignOption&, std::string_view text);
  std::string_view text = {};  // our option, or what is said
  Takes takes = Takes::one;
};

// Usual rules. `text` is the name of our option, which takes the same values:
void becomes(Migration& m, const ForeignOption& option, std::string_view text);
// `text` says how attend does it without an option:
void is_same(Migration& m, const ForeignOption& option, std::string_view text);
// `text` says why there is no equal, or what to do instead:
void has_no_equal(Migration& m, const ForeignOption& option, std::string_view text);
// The same if it is switched on; a value that switches it off says what attend does.
void has_no_equal_if_on(Migration& m, const ForeignOption& option, std::string_view text);

// `text` is "value|why": the same if the option has this value; otherwise there is no equal, and
// why.
void is_same_if(Migration& m, const ForeignOption& option, std::string_view text);

// Whether the values switch an option off: none, false, 0, "", ~.
bool is_off(const ForeignOption& option);

// A value that an option has if it is not given. The values of a list are separated by spaces.
struct PresetValue {
  std::string_view name, value;
};
// Adds the options that are not yet there.
void add_presets(std::vector<ForeignOption>& options, std::span<const PresetValue> presets,
                 std::string_view from);

using MigrationTables = std::span<const std::span<const MigrationRule>>;

const MigrationRule* find_rule(MigrationTables tables, std::string_view name);
// Applies the rule of every option whose fate is open. Those without a rule are unknown.
void apply_rules(Migration& migration, MigrationTables tables);

}  // namespace attend
