// Escapes of HTML and XML.
#pragma once

#include <string>
#include <string_view>

namespace attend {

// Text without escapes such as &amp;, as a browser reads it: with the names of the HTML standard,
// of which old ones need no semicolon. What is no escape stays as it is.
std::string unescaped_html(std::string_view text);
// Text with the escapes that it needs between tags, of HTML and of XML, without the control
// characters that XML forbids.
std::string escaped_markup(std::string_view text);

}  // namespace attend
