#include "attend/interchange/migration/rules.h"

#include <fmt/format.h>

#include <algorithm>

#include "attend/core/options/nearest_name.h"

namespace attend {

namespace {

std::vector<std::string> words_of_value(std::string_view value) {
  std::vector<std::string> words;
  for (std::size_t begin = 0;;) {
    const std::size_t end = value.find(' ', begin);
    words.emplace_back(value.substr(begin, end - begin));
    if (end == value.npos) return words;
    begin = end + 1;
  }
}

std::string unknown_hint(MigrationTables tables, const std::string& name) {
  std::vector<std::string> names;
  for (const std::span<const MigrationRule> table : tables)
    for (const MigrationRule& rule : table) names.emplace_back(rule.name);
  const std::optional<std::string> nearest = nearest_name(name, names);
  return nearest ? fmt::format("did you mean {}?", *nearest) : "";
}

void require_value(const Migration& migration, const ForeignOption& option, Takes takes) {
  if (takes == Takes::one && option.values.empty()) migration.refuse(option, "a value");
}

}  // namespace

bool is_off(const ForeignOption& option) {
  static constexpr std::string_view kOff[] = {"",  "false", "0",    "0.0", "none",
                                              "~", "0u",    "null", "0e",  "0t"};
  return std::all_of(option.values.begin(), option.values.end(), [](const std::string& value) {
    return std::find(std::begin(kOff), std::end(kOff), value) != std::end(kOff);
  });
}

void becomes(Migration& m, const ForeignOption& option, std::string_view text) {
  const bool is_flag = option.values.empty();
  m.translate({option.name}, text, is_flag ? std::vector<std::string>{"true"} : option.values);
}

void is_same(Migration& m, const ForeignOption& option, std::string_view text) {
  m.same(option.name, text);
}

void has_no_equal(Migration& m, const ForeignOption& option, std::string_view text) {
  m.without_equal(option.name, text);
}

void has_no_equal_if_on(Migration& m, const ForeignOption& option, std::string_view text) {
  const bool is_flag_alone = option.values.empty() && m.style() == OptionStyle::command_line;
  if (is_off(option) && !is_flag_alone) {
    m.same(option.name, "off");
  } else {
    m.without_equal(option.name, text);
  }
}

void is_same_if(Migration& m, const ForeignOption& option, std::string_view text) {
  const std::size_t bar = text.find('|');
  if (fmt::format("{}", fmt::join(option.values, " ")) == text.substr(0, bar)) {
    m.same(option.name, "the only kind");
  } else {
    m.without_equal(option.name, text.substr(bar + 1));
  }
}

void add_presets(std::vector<ForeignOption>& options, std::span<const PresetValue> presets,
                 std::string_view from) {
  for (const PresetValue& preset : presets) {
    const bool is_there =
        std::any_of(options.begin(), options.end(),
                    [&](const ForeignOption& option) { return option.name == preset.name; });
    if (!is_there)
      options.push_back(
          {std::string(preset.name), words_of_value(preset.value), std::string(from)});
  }
}

const MigrationRule* find_rule(MigrationTables tables, std::string_view name) {
  for (const std::span<const MigrationRule> table : tables)
    for (const MigrationRule& rule : table)
      if (rule.name == name) return &rule;
  return nullptr;
}

void apply_rules(Migration& migration, MigrationTables tables) {
  for (const ForeignOption& option : migration.options()) {
    const MigrationRule* const rule = find_rule(tables, option.name);
    if (rule != nullptr) require_value(migration, option, rule->takes);
  }
  for (const ForeignOption& option : migration.options()) {
    if (migration.is_decided(option.name)) continue;
    const MigrationRule* const rule = find_rule(tables, option.name);
    if (rule == nullptr) {
      migration.unknown(option.name, unknown_hint(tables, option.name));
    } else {
      rule->apply(migration, option, rule->text);
    }
  }
}

}  // namespace attend
