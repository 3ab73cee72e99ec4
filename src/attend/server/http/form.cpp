#include "attend/server/http/form.h"

#include <fmt/format.h>

#include <algorithm>

#include "attend/core/strings/ascii.h"
#include "attend/server/http/message.h"

namespace attend {
namespace {

// More would be an attack.
constexpr std::size_t kMostFields = 1024;
constexpr std::string_view kBlank = " \t";

int hex_value(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

std::string_view trimmed(std::string_view text) {
  const std::size_t begin = text.find_first_not_of(kBlank);
  if (begin == text.npos) return {};
  return text.substr(begin, text.find_last_not_of(kBlank) - begin + 1);
}

// The text before `mark`, which is removed together with it; all of it if there is no mark.
std::string_view take_until(std::string_view& text, std::string_view mark) {
  const std::size_t end = text.find(mark);
  const std::string_view taken = text.substr(0, end);
  text.remove_prefix(end == text.npos ? text.size() : end + mark.size());
  return taken;
}

// A string in quotes, which is removed from the beginning of `text`; or a word.
std::string take_value(std::string_view& text) {
  if (!text.starts_with('"')) {
    const std::string_view word = text.substr(0, text.find(';'));
    text.remove_prefix(word.size());
    return std::string(trimmed(word));
  }
  std::string value;
  std::size_t at = 1;
  for (; at < text.size() && text[at] != '"'; ++at) {
    if (text[at] == '\\' && at + 1 < text.size()) ++at;
    value += text[at];
  }
  text.remove_prefix(std::min(at + 1, text.size()));
  return value;
}

FormField part_of(std::string_view part) {
  FormField field;
  bool named = false;
  for (;;) {
    const std::size_t before = part.size();
    std::string_view line = take_until(part, "\r\n");
    if (line.empty()) {
      if (before == 0) throw HttpError{400, "multipart: a part without an empty line"};
      break;
    }
    const std::string_view name = take_until(line, ":");
    if (!same_field(trimmed(name), "content-disposition")) continue;
    field.name = header_parameter(line, "name");
    field.file = header_parameter(line, "filename");
    named = true;
  }
  if (!named) throw HttpError{400, "multipart: a part without Content-Disposition"};
  field.value = part;
  return field;
}

}  // namespace

std::string decoded_path_text(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '%') {
      out += text[i];
    } else {
      const int high = i + 2 < text.size() ? hex_value(text[i + 1]) : -1,
                low = i + 2 < text.size() ? hex_value(text[i + 2]) : -1;
      if (high < 0 || low < 0) throw HttpError{400, "expected two hexadecimal digits after %"};
      out += static_cast<char>(high * 16 + low);
      i += 2;
    }
  }
  return out;
}

namespace {

// "a%20b+c", where a plus is a space.
std::string decoded_form_text(std::string_view text) {
  std::string spaced(text);
  std::replace(spaced.begin(), spaced.end(), '+', ' ');
  return decoded_path_text(spaced);
}

}  // namespace

std::vector<FormField> parse_form(std::string_view body) {
  std::vector<FormField> fields;
  while (!body.empty()) {
    std::string_view pair = take_until(body, "&");
    if (pair.empty()) continue;
    if (fields.size() == kMostFields)
      throw HttpError{400, fmt::format("form: more than {} fields", kMostFields)};
    const std::string_view name = take_until(pair, "=");
    fields.push_back({decoded_form_text(name), decoded_form_text(pair)});
  }
  return fields;
}

std::vector<FormField> parse_multipart(std::string_view body, std::string_view content_type) {
  const std::string boundary = header_parameter(content_type, "boundary");
  if (boundary.empty() || boundary.size() > 70)
    throw HttpError{400, "multipart: expected a boundary of 1 to 70 characters"};
  const std::string first = "--" + boundary, mark = "\r\n--" + boundary;
  if (!body.starts_with(first))
    take_until(body, "\r\n" + first);
  else
    body.remove_prefix(first.size());
  std::vector<FormField> fields;
  while (body.starts_with("\r\n")) {
    body.remove_prefix(2);
    const std::size_t end = body.find(mark);
    if (end == body.npos) throw HttpError{400, "multipart: the last boundary is missing"};
    if (fields.size() == kMostFields)
      throw HttpError{400, fmt::format("multipart: more than {} parts", kMostFields)};
    fields.push_back(part_of(body.substr(0, end)));
    body.remove_prefix(end + mark.size());
  }
  if (!body.starts_with("--")) throw HttpError{400, "multipart: the last boundary is missing"};
  return fields;
}

std::string header_parameter(std::string_view field, std::string_view name) {
  field.remove_prefix(std::min(field.find(';'), field.size()));
  while (field.starts_with(';')) {
    field.remove_prefix(1);
    const std::size_t equals = field.find_first_of("=;");
    const std::string_view found = trimmed(field.substr(0, equals));
    field.remove_prefix(std::min(equals, field.size()));
    if (!field.starts_with('=')) continue;
    field.remove_prefix(1);
    std::string value = take_value(field);
    if (same_field(found, name)) return value;
    field.remove_prefix(std::min(field.find(';'), field.size()));
  }
  return {};
}

std::string media_type(std::string_view content_type) {
  return ascii_lower(trimmed(content_type.substr(0, content_type.find(';'))));
}

}  // namespace attend
