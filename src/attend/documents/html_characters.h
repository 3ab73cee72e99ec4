// Escapes of HTML and XML.
#pragma once

#include <string>
#include <string_view>

namespace attend {

// Text without escapes such as &amp;, and with those it needs between tags. Escapes that nobody
// knows stay as they are.
std::string unescaped_html(std::string_view text);
std::string escaped_html_text(std::string_view text);
// XML knows few escapes, and a reader refuses a file with others.
std::string escaped_xml_text(std::string_view text);

}  // namespace attend
