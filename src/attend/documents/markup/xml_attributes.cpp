#include "attend/documents/markup/xml_attributes.h"

#include <fmt/format.h>

namespace attend {
namespace {

constexpr std::string_view kSpaces = " \t\r\n";

// Bytes of a tag.
struct AttributePlace {
  std::size_t begin = 0;  // the name
  std::size_t value = 0;  // behind the opening quote
  std::size_t end = 0;    // the closing quote
};

std::optional<AttributePlace> find_attribute(std::string_view tag, std::string_view name) {
  std::size_t at = tag.find_first_of(" \t\r\n/>");
  while (at != tag.npos) {
    const std::size_t begin = tag.find_first_not_of(kSpaces, at);
    const std::size_t equals = begin == tag.npos ? tag.npos : tag.find('=', begin);
    const std::size_t open = equals == tag.npos ? tag.npos : tag.find_first_of("\"'", equals);
    const std::size_t close = open == tag.npos ? tag.npos : tag.find(tag[open], open + 1);
    if (close == tag.npos) return std::nullopt;
    const std::string_view own = tag.substr(begin, equals - begin);
    if (own.substr(0, own.find_first_of(kSpaces)) == name)
      return AttributePlace{begin, open + 1, close};
    at = close + 1;
  }
  return std::nullopt;
}

}  // namespace

std::optional<std::string_view> xml_attribute(std::string_view tag, std::string_view name) {
  const auto found = find_attribute(tag, name);
  if (!found) return std::nullopt;
  return tag.substr(found->value, found->end - found->value);
}

std::string with_xml_attribute(std::string_view tag, std::string_view name,
                               std::optional<std::string_view> value) {
  std::string changed(tag);
  if (const auto found = find_attribute(tag, name)) {
    if (value) return changed.replace(found->value, found->end - found->value, *value);
    std::size_t begin = found->begin;
    while (begin > 0 && kSpaces.find(tag[begin - 1]) != tag.npos) --begin;
    return changed.erase(begin, found->end + 1 - begin);
  }
  if (!value) return changed;
  std::size_t end = tag.size() - (tag.ends_with("/>") ? 2 : 1);
  while (end > 0 && kSpaces.find(tag[end - 1]) != tag.npos) --end;
  return changed.insert(end, fmt::format(" {}=\"{}\"", name, *value));
}

}  // namespace attend
