// Attributes of the tags of XML.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace attend {

// The value of an attribute of a tag, as it is written between its quotes; nullopt without one.
std::optional<std::string_view> xml_attribute(std::string_view tag, std::string_view name);

// The tag with another value of the attribute, which is added at the end if it is not there; with
// nullopt without the attribute. A value must need no escapes.
std::string with_xml_attribute(std::string_view tag, std::string_view name,
                               std::optional<std::string_view> value);

}  // namespace attend
