// Text in HTML and XML.
#pragma once

#include <string>
#include <string_view>

namespace attend {

// Text for an element or for an attribute in quotes: &, <, > and quotes become references.
std::string escaped_html(std::string_view text);

}  // namespace attend
