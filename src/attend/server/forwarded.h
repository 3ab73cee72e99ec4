// What a proxy says of the client whose request it forwards.
#pragma once

#include <string>

#include "attend/server/http/message.h"

namespace attend {

// Empty: not said, or not in a form that can be used.
struct Forwarded {
  std::string scheme;  // "https"
  std::string host;    // "translate.example.org"
  std::string prefix;  // of all paths: "/translate"
  std::string client;  // an address
};

// From Forwarded (RFC 7239), or from X-Forwarded-Proto, -Host, -Prefix and -For. Of several values
// the last counts, which the nearest proxy has added: only that one is trusted.
Forwarded forwarded_of(const HttpHeaders& headers);

}  // namespace attend
