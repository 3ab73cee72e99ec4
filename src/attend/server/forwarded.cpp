#include "attend/server/forwarded.h"

#include <algorithm>
#include <string_view>
#include <utility>

#include "attend/server/http/form.h"
#include "attend/server/http/request_target.h"

namespace attend {
namespace {

std::string_view without_blanks(std::string_view text) {
  const std::size_t begin = text.find_first_not_of(" \t");
  if (begin == text.npos) return {};
  return text.substr(begin, text.find_last_not_of(" \t") - begin + 1);
}

// Reads all fields of that name; commas in quotes do not divide.
std::string_view last_value(const HttpHeaders& headers, std::string_view name) {
  std::string_view last;
  for (const auto& [field, value] : headers)
    if (same_field(field, name)) last = value;
  std::size_t begin = 0;
  bool quoted = false;
  for (std::size_t i = 0; i < last.size(); ++i) {
    if (last[i] == '"') quoted = !quoted;
    if (last[i] == ',' && !quoted) begin = i + 1;
  }
  return without_blanks(last.substr(begin));
}

std::string scheme_if_any(std::string_view text) {
  for (const std::string_view known : {"http", "https"})
    if (same_field(text, known)) return std::string(known);
  return {};
}

std::string host_if_any(std::string_view text) {
  return is_host(text) ? std::string(text) : std::string();
}

std::string prefix_if_any(std::string_view text) {
  while (text.ends_with('/')) text.remove_suffix(1);
  const bool is_path = text.starts_with('/') && !text.starts_with("//") &&
                       std::all_of(text.begin(), text.end(), [](char c) {
                         return c == '/' || is_host(std::string_view(&c, 1));
                       });
  return is_path ? std::string(text) : std::string();
}

}  // namespace

Forwarded forwarded_of(const HttpHeaders& headers) {
  Forwarded said{.scheme = scheme_if_any(last_value(headers, "x-forwarded-proto")),
                 .host = host_if_any(last_value(headers, "x-forwarded-host")),
                 .prefix = prefix_if_any(last_value(headers, "x-forwarded-prefix")),
                 .client = host_if_any(last_value(headers, "x-forwarded-for"))};
  const std::string standard = ";" + std::string(last_value(headers, "forwarded"));
  const auto take = [&](std::string_view name, std::string& into, auto form) {
    const std::string value = header_parameter(standard, name);
    if (!value.empty()) into = form(value);
  };
  take("proto", said.scheme, scheme_if_any);
  take("host", said.host, host_if_any);
  take("for", said.client, host_if_any);
  return said;
}

}  // namespace attend
