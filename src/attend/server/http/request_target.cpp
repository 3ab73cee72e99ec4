#include "attend/server/http/request_target.h"

#include <algorithm>

#include "attend/server/http/form.h"
#include "attend/server/http/message.h"

namespace attend {
namespace {

bool is_unreserved(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
         std::string_view("-._~").find(c) != std::string_view::npos;
}

// Escapes of characters that need none mean the same without; the others stay.
std::string normalized_path(std::string_view path) {
  std::string out;
  for (std::size_t i = 0; i < path.size(); ++i) {
    if (path[i] != '%') {
      out += path[i];
      continue;
    }
    const std::string_view escape = path.substr(i, 3);
    const std::string decoded = decoded_path_text(escape);
    out += is_unreserved(decoded.front()) ? decoded : std::string(escape);
    i += 2;
  }
  return out;
}

RequestTarget in_parts(std::string_view target) {
  const std::size_t question = target.find('?');
  RequestTarget parts{.path = normalized_path(target.substr(0, question)), .query = {}};
  if (question != target.npos) parts.query = target.substr(question + 1);
  return parts;
}

}  // namespace

bool is_host(std::string_view text) {
  return std::all_of(text.begin(), text.end(), [](char c) {
    return is_unreserved(c) ||
           std::string_view("!$&'()*+,;=:[]%").find(c) != std::string_view::npos;
  });
}

RequestTarget parse_target(std::string_view method, std::string_view target) {
  if (target.starts_with('/')) return in_parts(target);
  if (target == "*" && method == "OPTIONS") return {.path = "*", .query = {}};
  for (const std::string_view scheme : {"http://", "https://"}) {
    if (!same_field(target.substr(0, scheme.size()), scheme)) continue;
    const std::string_view address = target.substr(scheme.size());
    const std::size_t end = std::min(address.find_first_of("/?"), address.size());
    const std::string_view host = address.substr(0, end);
    if (host.empty() || !is_host(host)) break;
    const std::string_view rest = address.substr(end);
    RequestTarget parts =
        in_parts(rest.starts_with('/') ? std::string(rest) : "/" + std::string(rest));
    parts.host = host;
    return parts;
  }
  throw HttpError{400, "the target of the request: expected a path such as /translate"};
}

}  // namespace attend
