#include "attend/interchange/formats/yaml.h"

#include <fmt/format.h>

#include <utility>

#include "attend/core/strings/quote.h"
#include "attend/core/strings/utf8.h"
#include "attend/error.h"
#include "attend/interchange/formats/yaml_scalar.h"

namespace attend {

namespace {

// How deep mappings may be within each other.
enum class YamlDepth { flat = 0, nested = 8 };

class YamlReader {
 public:
  YamlReader(std::string_view text, std::string_view where, YamlDepth depth)
      : rest_(text), where_(where), depth_(static_cast<int>(depth)) {}

  nlohmann::json read() {
    nlohmann::json object = nlohmann::json::object();
    while (next_line()) {
      if (line_ == "---") {
        if (!object.empty()) here().refuse("expected one document, found a second one");
        continue;
      }
      if (line_[0] == ' ') here().refuse("expected a key at the beginning of the line");
      read_entry(object);
    }
    return object;
  }

 private:
  using Ends = YamlLine::Ends;

  std::string place() const { return fmt::format("{}, line {}", where_, number_); }
  YamlLine here() const { return {line_, place()}; }

  // Goes to the next line that is neither blank nor a comment; false at the end.
  bool next_line() {
    while (!rest_.empty()) {
      const std::size_t end = std::min(rest_.find('\n'), rest_.size());
      line_ = rest_.substr(0, end);
      rest_.remove_prefix(std::min(end + 1, rest_.size()));
      ++number_;
      if (line_.ends_with('\r')) line_.remove_suffix(1);
      for (const char c : line_)
        if ((static_cast<unsigned char>(c) < 0x20 && c != '\t') || c == '\x7f')
          here().refuse(fmt::format("expected text, found {}", quote(std::string_view(&c, 1))));
      if (here().at_end()) continue;
      if (line_.substr(0, line_.find_first_not_of(" \t")).find('\t') != line_.npos)
        here().refuse("expected spaces at the beginning of the line, found a tab");
      return true;
    }
    return false;
  }

  // The line that next_line() would go to.
  std::string_view peek() const {
    YamlReader ahead = *this;
    return ahead.next_line() ? ahead.line_ : std::string_view();
  }

  static bool is_item(std::string_view line) {
    const std::size_t begin = line.find_first_not_of(' ');
    return begin != line.npos && line[begin] == '-' &&
           (begin + 1 == line.size() || line[begin + 1] == ' ');
  }

  void read_entry(nlohmann::json& object) {
    YamlLine line = here();
    const bool key_alone = line_ == "?" || line_.starts_with("? ");
    if (key_alone) line.accept('?');
    std::string key = line.text(key_alone ? Ends::line : Ends::key);
    if (key_alone) {
      line.expect_end();
      if (!next_line() || line_[0] != ':')
        throw DataError(
            fmt::format("{}: expected ':' on the line after the key {}", place(), quote(key)));
      line = here();
    }
    const std::string key_place = place();
    const std::size_t indent = line_.find_first_not_of(' ');
    if (!line.accept(':')) line.refuse(fmt::format("expected ':' after the key {}", quote(key)));
    nlohmann::json value = read_value(line, indent);
    if (!object.emplace(key, std::move(value)).second)
      throw DataError(fmt::format("{}: the key {} appears twice", key_place, quote(key)));
  }

  nlohmann::json read_value(YamlLine& line, std::size_t indent) {
    if (line.at_end()) return read_lines(indent);
    const bool is_list = line.accept('[');
    nlohmann::json value = is_list ? line.flow_list() : line.scalar(Ends::line);
    line.expect_end();
    return value;
  }

  // The value on the lines after its key, which begins in this column: a list, one item per line or
  // in brackets, or a mapping; null if there is none.
  nlohmann::json read_lines(std::size_t indent) {
    const std::string_view first = peek();
    const std::size_t begin = std::min(first.find_first_not_of(' '), first.size());
    if (is_item(first) && begin >= indent) return read_items(begin);
    if (first.empty() || begin <= indent) return nullptr;
    if (depth_ > 0 && first[begin] != '[') return read_mapping(begin);
    next_line();
    YamlLine line = here();
    if (!line.accept('[')) line.refuse("expected a list below its key");
    nlohmann::json list = line.flow_list();
    line.expect_end();
    return list;
  }

  // The entries that begin in this column.
  nlohmann::json read_mapping(std::size_t indent) {
    if (++nested_ > depth_) {
      next_line();
      here().refuse("expected mappings that are not so deep within each other");
    }
    nlohmann::json object = nlohmann::json::object();
    while (peek().find_first_not_of(' ') == indent && !is_item(peek())) {
      next_line();
      read_entry(object);
    }
    --nested_;
    return object;
  }

  nlohmann::json read_items(std::size_t indent) {
    nlohmann::json list = nlohmann::json::array();
    while (is_item(peek())) {
      next_line();
      if (line_.find('-') != indent) here().refuse("expected the items of a list below each other");
      YamlLine line = here();
      line.accept('-');
      list.push_back(line.scalar(Ends::line));
      line.expect_end();
    }
    return list;
  }

  std::string_view rest_, line_;
  std::string_view where_;
  std::int64_t number_ = 0;
  int depth_, nested_ = 0;
};

nlohmann::json read_yaml(std::string_view text, std::string_view where, YamlDepth depth) {
  const std::size_t invalid = find_invalid_utf8(text);
  if (invalid != text.npos)
    throw DataError(
        fmt::format("{}: expected UTF-8, found other bytes at byte {}", where, invalid));
  return YamlReader(text, where, depth).read();
}

}  // namespace

nlohmann::json parse_yaml(std::string_view text, std::string_view where) {
  return read_yaml(text, where, YamlDepth::flat);
}

nlohmann::json parse_nested_yaml(std::string_view text, std::string_view where) {
  return read_yaml(text, where, YamlDepth::nested);
}

}  // namespace attend
