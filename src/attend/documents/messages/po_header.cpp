#include "attend/documents/messages/po_header.h"

#include <fmt/format.h>

#include <algorithm>

#include "attend/core/strings/unicode.h"
#include "attend/documents/messages/plural_forms.h"

namespace attend {
namespace {

// [begin, end) of the value in the header; npos: there is no such field.
std::pair<std::size_t, std::size_t> place_of_field(std::string_view header,
                                                   std::string_view field) {
  for (std::size_t line = 0; line < header.size();) {
    const std::size_t end = std::min(header.find('\n', line), header.size());
    const std::string_view text = header.substr(line, end - line);
    if (text.starts_with(field) && text.substr(field.size()).starts_with(':'))
      return {line + field.size() + 1, end};
    line = end + 1;
  }
  return {header.npos, header.npos};
}

void set_field(std::string& header, std::string_view field, std::string_view value) {
  const auto [begin, end] = place_of_field(header, field);
  if (begin != std::string::npos) {
    header.replace(begin, end - begin, fmt::format(" {}", value));
    return;
  }
  if (!header.empty() && !header.ends_with('\n')) header += '\n';
  header += fmt::format("{}: {}\n", field, value);
}

}  // namespace

std::string_view po_header_field(std::string_view header, std::string_view field) {
  const auto [begin, end] = place_of_field(header, field);
  return begin == header.npos ? std::string_view()
                              : unicode::strip(header.substr(begin, end - begin));
}

std::string filled_po_header(std::string_view header, std::string_view target) {
  constexpr std::string_view kUnknownCharset = "charset=CHARSET";
  std::string filled(header);
  std::string type(po_header_field(filled, "Content-Type"));
  if (const std::size_t charset = type.find(kUnknownCharset); charset != type.npos)
    set_field(filled, "Content-Type",
              type.replace(charset, kUnknownCharset.size(), "charset=UTF-8"));
  if (target.empty()) return filled;
  if (po_header_field(filled, "Language").empty()) {
    std::string language(target);
    std::replace(language.begin(), language.end(), '-', '_');
    set_field(filled, "Language", language);
  }
  const std::string_view forms = plural_forms_of(target);
  if (!forms.empty() &&
      po_header_field(filled, "Plural-Forms").find("INTEGER") != std::string_view::npos)
    set_field(filled, "Plural-Forms", forms);
  return filled;
}

}  // namespace attend
