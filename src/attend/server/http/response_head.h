// The head of a response as it is sent.
#pragma once

#include <string>

#include "attend/server/http/message.h"

namespace attend {

struct ResponseHeadOptions {
  bool in_pieces = false;   // in chunks, without a length
  bool keep_alive = false;  // another request may follow
};

// The line of the status and all fields, with the empty line. `always`: fields of all responses.
std::string response_head(const HttpResponse& response, const HttpHeaders& always,
                          const ResponseHeadOptions& options);

}  // namespace attend
