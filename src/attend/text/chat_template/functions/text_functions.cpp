#include "attend/text/chat_template/functions/text_functions.h"

#include <algorithm>

#include "attend/core/strings/unicode.h"
#include "attend/core/strings/utf8.h"

namespace attend::chat_template {
namespace {

bool ends_line(char32_t c) {
  return (c >= 0x0a && c <= 0x0d) || (c >= 0x1c && c <= 0x1e) || c == 0x85 || c == 0x2028 ||
         c == 0x2029;
}

void add_part(std::vector<std::string_view>& parts, std::string_view part) {
  parts.push_back(part);
  Run::require_size(parts.size() * kWeightOfValue);
}

std::string_view last_character(std::string_view text) {
  return text.substr(begin_of_character_before(text, text.size()));
}

bool is_space_character(std::string_view character) {
  std::size_t at = 0;
  return unicode::is_space(next_code_point(character, at));
}

}  // namespace

std::string stripped(std::string_view text, bool left, bool right) {
  if (right) text = unicode::strip_right(text);
  return std::string(left ? unicode::strip_left(text) : text);
}

std::string stripped(Run& run, std::string_view text, std::string_view characters, bool left,
                     bool right) {
  const std::vector<std::string_view> all = characters_of(characters);
  run.count_work(all.size() * kWeightOfValue);
  const auto goes = [&](std::string_view one) {
    run.count_work(all.size());
    return std::find(all.begin(), all.end(), one) != all.end();
  };
  while (left && !text.empty()) {
    std::size_t size = 0;
    next_code_point(text, size);
    if (!goes(text.substr(0, size))) break;
    text.remove_prefix(size);
  }
  while (right && !text.empty() && goes(last_character(text)))
    text.remove_suffix(last_character(text).size());
  return std::string(text);
}

std::string replaced(Run& run, std::string_view text, std::string_view from, std::string_view to,
                     std::int64_t most) {
  run.count_search(text.size(), from.size());
  std::string result;
  std::size_t begin = 0;
  const auto add = [&](std::string_view part) {
    run.count_work(part.size() + 1);
    result += part;
    Run::require_size(result.size());
  };
  for (std::int64_t count = 0; most < 0 || count < most; ++count) {
    if (from.empty()) {  // before every character, and at the end
      add(to);
      if (begin >= text.size()) return result;
      const std::size_t character = begin;
      next_code_point(text, begin);
      add(text.substr(character, begin - character));
      continue;
    }
    const std::size_t at = text.find(from, begin);
    if (at == text.npos) break;
    add(text.substr(begin, at - begin));
    add(to);
    begin = at + from.size();
  }
  add(text.substr(begin));
  return result;
}

std::vector<std::string_view> split_at_space(Run& run, std::string_view text, std::int64_t most,
                                             bool from_right) {
  run.count_work(text.size());
  std::vector<std::string_view> parts;
  while (!from_right) {
    text = unicode::strip_left(text);
    if (text.empty()) break;
    if (most >= 0 && std::ssize(parts) >= most) {
      add_part(parts, text);
      break;
    }
    std::size_t end = 0;
    for (std::size_t at = 0; at < text.size(); end = at)
      if (unicode::is_space(next_code_point(text, at))) break;
    add_part(parts, text.substr(0, end));
    text.remove_prefix(end);
  }
  while (from_right) {
    while (!text.empty() && is_space_character(last_character(text)))
      text.remove_suffix(last_character(text).size());
    if (text.empty()) break;
    std::string_view rest = most >= 0 && std::ssize(parts) >= most ? std::string_view() : text;
    while (!rest.empty() && !is_space_character(last_character(rest)))
      rest.remove_suffix(last_character(rest).size());
    add_part(parts, text.substr(rest.size()));
    text = rest;
  }
  if (from_right) std::reverse(parts.begin(), parts.end());
  return parts;
}

std::vector<std::string_view> split_at(Run& run, std::string_view text, std::string_view separator,
                                       std::int64_t most, bool from_right) {
  run.count_search(text.size(), separator.size());
  std::vector<std::string_view> parts;
  while (most < 0 || std::ssize(parts) < most) {
    const std::size_t at = from_right ? text.rfind(separator) : text.find(separator);
    if (at == text.npos) break;
    add_part(parts, from_right ? text.substr(at + separator.size()) : text.substr(0, at));
    text = from_right ? text.substr(0, at) : text.substr(at + separator.size());
  }
  add_part(parts, text);
  if (from_right) std::reverse(parts.begin(), parts.end());
  return parts;
}

std::vector<std::string_view> lines_of(Run& run, std::string_view text, bool keeps_ends) {
  run.count_work(text.size());
  std::vector<std::string_view> lines;
  std::size_t begin = 0;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = at;
    const char32_t c = next_code_point(text, at);
    if (!ends_line(c)) continue;
    if (c == '\r' && at < text.size() && text[at] == '\n') ++at;
    add_part(lines, text.substr(begin, (keeps_ends ? at : end) - begin));
    begin = at;
  }
  if (begin < text.size()) add_part(lines, text.substr(begin));
  return lines;
}

Value texts(Run& run, const std::vector<std::string_view>& parts, bool are_markup) {
  Values items;
  for (const std::string_view part : parts)
    items.push_back(run.text(std::string(part), are_markup));
  return run.list(std::move(items));
}

}  // namespace attend::chat_template
