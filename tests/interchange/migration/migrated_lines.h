// What tests of migration look at: a recipe and its comments, line by line.
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "attend/interchange/migration/migrated_file.h"

namespace attend {

// The lines of the recipe that begin with `text`; runs of spaces count as one.
inline std::vector<std::string> lines_with(const std::string& recipe, const std::string& text) {
  std::vector<std::string> found;
  std::istringstream stream(recipe);
  for (std::string line; std::getline(stream, line);) {
    std::string narrow;
    for (const char c : line)
      if (c != ' ' || narrow.empty() || narrow.back() != ' ') narrow += c;
    if (narrow.starts_with(text)) found.push_back(narrow);
  }
  return found;
}

// One line begins with each of `lines`.
inline void expect_lines(const std::string& recipe, const std::vector<std::string>& lines) {
  for (const std::string& line : lines)
    EXPECT_EQ(lines_with(recipe, line).size(), 1u) << line << "\n" << recipe;
}

inline std::string migrated(const std::string& text, const std::string& name,
                            MigrationSource source = MigrationSource::automatic) {
  return migrated_text(migrate(text, name, source), name);
}

// Every option of `tables` with a value that it takes has one fate, which is not unknown.
// `migrate_one` takes the options.
template <class MigrateOne>
void expect_a_fate_for_every_rule(MigrationTables tables, const MigrateOne& migrate_one) {
  static const std::vector<std::vector<std::string>> kValues{
      {"16"},       {"1"},    {"true"}, {},           {"none"},
      {"standard"}, {"relu"}, {"0.1"},  {"0.9,0.98"}, {"{\"beam\": 2}"}};
  for (const std::span<const MigrationRule> table : tables) {
    for (const MigrationRule& rule : table) {
      int landed = 0;
      for (const std::vector<std::string>& values : kValues) {
        try {
          const Migration migration = migrate_one({ForeignOption{std::string(rule.name), values}});
          ASSERT_TRUE(migration.is_decided(rule.name)) << rule.name;
          EXPECT_NE(migration.fate(rule.name).fate, Fate::unknown) << rule.name;
          for (const ForeignOption& option : migration.options())
            EXPECT_TRUE(migration.is_decided(option.name)) << option.name;
          ++landed;
        } catch (const ConfigError&) {  // a value that the option does not take
        }
      }
      EXPECT_GT(landed, 0) << rule.name;
    }
  }
}

}  // namespace attend
