#include "attend/interchange/formats/yaml_scalar.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdint>
#include <utility>

#include "attend/core/strings/quote.h"
#include "attend/core/strings/utf8.h"
#include "attend/error.h"

namespace attend {

namespace {

bool is_blank(char c) { return c == ' ' || c == '\t'; }

template <class Number>
bool parse_whole(std::string_view text, Number& number) {
  if (text.starts_with('+')) text.remove_prefix(1);
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return error == std::errc() && end == text.data() + text.size();
}

// What a plain value stands for, by YAML's core schema. "nan" and "inf" are words.
nlohmann::json typed(const std::string& text) {
  if (text.empty() || text == "~" || text == "null") return nullptr;
  if (text == "true" || text == "false") return text == "true";
  const std::string_view digits = std::string_view(text).substr(text.find_first_not_of("+-") == 1);
  const bool is_number = !digits.empty() &&
                         digits.find_first_not_of("0123456789.eE+-") == digits.npos &&
                         (digits[0] == '.' || (digits[0] >= '0' && digits[0] <= '9'));
  std::int64_t integer = 0;
  if (is_number && parse_whole(text, integer)) return integer;
  double real = 0;
  if (is_number && parse_whole(text, real)) return real;
  return text;
}

constexpr std::array<std::pair<char, std::string_view>, 18> kEscapes = {
    {{'0', std::string_view("\0", 1)},
     {'a', "\a"},
     {'b', "\b"},
     {'t', "\t"},
     {'\t', "\t"},
     {'n', "\n"},
     {'v', "\v"},
     {'f', "\f"},
     {'r', "\r"},
     {'e', "\x1b"},
     {' ', " "},
     {'"', "\""},
     {'/', "/"},
     {'\\', "\\"},
     {'N', "\xc2\x85"},
     {'_', "\xc2\xa0"},
     {'L', "\xe2\x80\xa8"},
     {'P', "\xe2\x80\xa9"}}};

}  // namespace

void YamlLine::refuse(std::string_view why) const {
  throw DataError(fmt::format("{}: {}", where_, why));
}

void YamlLine::skip_blanks() {
  while (at_ < line_.size() && is_blank(line_[at_])) ++at_;
}

bool YamlLine::at_end() const {
  const std::size_t next = line_.find_first_not_of(" \t", at_);
  if (next == line_.npos) return true;
  return line_[next] == '#' && (next == 0 || is_blank(line_[next - 1]));
}

bool YamlLine::accept(char c) {
  skip_blanks();
  if (at_ == line_.size() || line_[at_] != c) return false;
  ++at_;
  return true;
}

void YamlLine::expect_end() {
  if (!at_end())
    refuse(fmt::format("expected the end of the line, found {}", quote(line_.substr(at_))));
}

nlohmann::json YamlLine::scalar(Ends ends) {
  if (accept('"')) return double_quoted();
  if (accept('\'')) return single_quoted();
  return typed(plain(ends));
}

std::string YamlLine::text(Ends ends) {
  if (accept('"')) return double_quoted();
  if (accept('\'')) return single_quoted();
  return plain(ends);
}

nlohmann::json YamlLine::flow_list() {
  nlohmann::json list = nlohmann::json::array();
  while (!accept(']')) {
    skip_blanks();
    if (at_end())
      refuse("expected a list that ends on its line with ']', found the end of the line");
    if (line_[at_] == ',') refuse("expected a value in the list, found ','");
    list.push_back(scalar(Ends::item));
    if (accept(',')) continue;
    if (!accept(']')) refuse("expected ',' or ']' in the list");
    break;
  }
  return list;
}

std::string YamlLine::plain(Ends ends) {
  skip_blanks();
  if (at_end()) return "";
  // What stands for something else at the beginning of a value; "-", "?" and ":" only before a
  // blank.
  const char first = line_[at_];
  const bool alone = at_ + 1 == line_.size() || is_blank(line_[at_ + 1]);
  if (std::string_view("&*!|>%@`{}[],#").find(first) != std::string_view::npos ||
      (alone && std::string_view("-?:").find(first) != std::string_view::npos))
    refuse(
        fmt::format("expected a plain value or one in quotes, found {}", quote(line_.substr(at_))));
  const std::size_t begin = at_;
  for (; at_ < line_.size(); ++at_) {
    const char c = line_[at_];
    if (c == '#' && is_blank(line_[at_ - 1])) break;
    if (ends == Ends::item && (c == ',' || c == ']')) break;
    if (ends == Ends::item && std::string_view("[{}").find(c) != std::string_view::npos)
      refuse("expected single values in the list");
    if (c != ':' || (at_ + 1 < line_.size() && !is_blank(line_[at_ + 1]))) continue;
    if (ends == Ends::key) break;
    refuse("expected a single value, found another ':'");
  }
  std::size_t end = at_;
  while (end > begin && is_blank(line_[end - 1])) --end;
  return std::string(line_.substr(begin, end - begin));
}

std::string YamlLine::single_quoted() {
  std::string text;
  for (; at_ < line_.size(); ++at_) {
    if (line_[at_] != '\'') {
      text += line_[at_];
    } else if (at_ + 1 < line_.size() && line_[at_ + 1] == '\'') {
      text += line_[++at_];
    } else {
      ++at_;
      return text;
    }
  }
  refuse("expected a closing quote on the same line");
}

std::string YamlLine::double_quoted() {
  std::string text;
  while (at_ < line_.size()) {
    const char c = line_[at_++];
    if (c == '"') return text;
    if (c == '\\') {
      escape(text);
    } else {
      text += c;
    }
  }
  refuse("expected a closing quote on the same line");
}

void YamlLine::escape(std::string& to) {
  if (at_ == line_.size()) refuse("expected a closing quote on the same line");
  const char c = line_[at_++];
  if (c == 'x') return code_point(to, 2);
  if (c == 'u') return code_point(to, 4);
  if (c == 'U') return code_point(to, 8);
  const auto* const known = std::find_if(kEscapes.begin(), kEscapes.end(),
                                         [&](const auto& escape) { return escape.first == c; });
  if (known == kEscapes.end())
    refuse(fmt::format("unknown escape {}", quote(line_.substr(at_ - 2, 2))));
  to += known->second;
}

void YamlLine::code_point(std::string& to, std::size_t digits) {
  const std::string_view hex = line_.substr(at_, digits);
  std::uint32_t value = 0;
  const auto [end, error] = std::from_chars(hex.data(), hex.data() + hex.size(), value, 16);
  const bool valid = error == std::errc() && hex.size() == digits && end == hex.data() + digits &&
                     value <= 0x10ffff && (value < 0xd800 || value > 0xdfff);
  if (!valid)
    refuse(fmt::format("expected {} digits of a character, found {}", digits, quote(hex)));
  append_code_point(to, value);
  at_ += digits;
}

}  // namespace attend
