#include "attend/cli/config_file.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <sstream>

#include "attend/core/error.h"
#include "attend/core/lines.h"
#include "attend/core/nearest_name.h"

namespace attend {
namespace {

// What CLI11's reader must not see, as version 2.1 takes a '#' for a comment even inside quotes, and needs lists without spaces around
// their commas. It gets one entry at a time, which is also how we know the line of each.
class EntryText {
 public:
  // Adds a line without its comment and the white space outside quotes. Throws ConfigError for a text without end.
  void add(std::string_view line, const std::string& where) {
    char quote = '\0';
    for (std::size_t i = 0; i < line.size(); ++i) {
      const char c = line[i];
      if (quote == '\0' && c == '#') break;
      if (quote == '\0' && (c == ' ' || c == '\t')) continue;
      text_.push_back(c);
      if (quote != '\0') {
        if (c == quote && !(quote == '"' && line[i - 1] == '\\')) quote = '\0';
      } else if (c == '"' || c == '\'') {
        quote = c;
      } else {
        depth_ += c == '[' ? 1 : c == ']' ? -1 : 0;
      }
    }
    if (quote != '\0') throw ConfigError(fmt::format("{}: expected a closing {} before the end of the line", where, quote));
  }

  const std::string& text() const { return text_; }
  bool list_is_open() const { return depth_ > 0; }
  bool is_section() const { return text_.front() == '[' && text_.find('=') == std::string::npos; }

 private:
  std::string text_;
  int depth_ = 0;
};

ConfigEntry parse_entry(const std::string& text, std::int64_t line, const std::string& where) {
  const auto equals = text.find('=');
  if (equals == std::string::npos || equals == 0) throw ConfigError(fmt::format("{}: expected key = value, got {}", where, text));
  if (equals + 1 == text.size()) throw ConfigError(fmt::format("{}: expected a value after {} =", where, text.substr(0, equals)));
  const std::string value = text.substr(equals + 1);
  if (value.front() == '[' && (value.back() != ']' || value.size() < 2)) {
    throw ConfigError(fmt::format("{}: expected a closing ] at the end of the list", where));
  }

  std::istringstream stream(value.front() == '[' ? text : fmt::format("{}=[{}]", text.substr(0, equals), value));
  CLI::ConfigTOML reader;
  reader.comment('\x01');
  const auto items = reader.from_config(stream);
  // CLI11 also hands out an item for each section that a dotted key opens and closes.
  const auto item = std::find_if(items.begin(), items.end(), [](const CLI::ConfigItem& i) { return i.name != "++" && i.name != "--"; });
  if (item == items.end()) throw ConfigError(fmt::format("{}: expected key = value, got {}", where, text));
  return {item->name, value == "[]" ? std::vector<std::string>() : item->inputs, line};
}

void check_unique(const std::vector<ConfigEntry>& entries, const ConfigEntry& entry, const std::string& where) {
  for (const ConfigEntry& other : entries) {
    if (kebab_case(other.key) == kebab_case(entry.key)) {
      throw ConfigError(fmt::format("{}: {} is set twice, first on line {}; keep one of them", where, entry.key, other.line));
    }
  }
}

}  // namespace

std::vector<ConfigEntry> read_config_file(const std::filesystem::path& path) {
  LineReader reader(path.string());
  std::vector<ConfigEntry> entries;
  for (std::string line; reader.next(line);) {
    const std::string where = reader.where();
    const std::int64_t number = reader.line_number();
    EntryText text;
    text.add(line, where);
    if (text.text().empty()) continue;
    if (text.is_section()) {
      if (text.list_is_open()) throw ConfigError(fmt::format("{}: expected a closing ] after the name of the section", where));
      continue;
    }
    while (text.list_is_open() && reader.next(line)) text.add(line, reader.where());
    ConfigEntry entry = parse_entry(text.text(), number, where);
    check_unique(entries, entry, where);
    entries.push_back(std::move(entry));
  }
  return entries;
}

std::vector<std::string> apply_config_file(const std::filesystem::path& path, std::span<const OptionField> fields) {
  std::vector<std::string> names;
  for (const ConfigEntry& entry : read_config_file(path)) {
    const std::string where = fmt::format("{}:{}", path.string(), entry.line);
    const OptionField* field = find_option(fields, entry.key);
    if (field == nullptr) {
      throw ConfigError(fmt::format("{}: unknown key {}{}", where, entry.key, did_you_mean(entry.key, option_names(fields))));
    }
    set_option(*field, entry.values, fmt::format("{}: {}", where, entry.key));
    names.push_back(field->name);
  }
  return names;
}

}  // namespace attend
