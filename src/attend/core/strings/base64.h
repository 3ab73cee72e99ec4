// Bytes written as letters (RFC 4648).
#pragma once

#include <string>
#include <string_view>

namespace attend {

// Throws DataError if `text` is not base64.
std::string from_base64(std::string_view text);
std::string to_base64(std::string_view bytes);

}  // namespace attend
