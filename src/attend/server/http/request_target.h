// What a request is for: the target in its first line (RFC 9112, section 3.2).
#pragma once

#include <string>
#include <string_view>

namespace attend {

struct RequestTarget {
  std::string path;       // "/translate"; letters, digits and -._~ are not escaped; "*" of OPTIONS
  std::string query;      // after the question mark, still encoded
  std::string host = {};  // of a whole address, "http://host/path"; empty: the field Host says it
};

// Throws HttpError 400 for what is neither a path nor an address, for a user name in an address and
// for a broken escape.
RequestTarget parse_target(std::string_view method, std::string_view target);

// Whether it can be the value of a field Host: a name or an address, and perhaps a port.
bool is_host(std::string_view text);

}  // namespace attend
