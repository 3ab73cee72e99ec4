#include "attend/server/http/response_head.h"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <ctime>

#include "attend/version.h"

namespace attend {

std::string response_head(const HttpResponse& response, const HttpHeaders& always,
                          const ResponseHeadOptions& options) {
  std::string text = fmt::format(
      "HTTP/1.1 {} {}\r\nServer: attend/{}\r\nDate: {:%a, %d %b %Y %H:%M:%S} GMT\r\n",
      response.status, status_text(response.status), version(), fmt::gmtime(std::time(nullptr)));
  if (response.status != 204) text += fmt::format("Content-Type: {}\r\n", response.type);
  text += "X-Content-Type-Options: nosniff\r\n";
  for (const HttpHeaders& fields : {always, response.headers})
    for (const auto& [name, value] : fields) text += fmt::format("{}: {}\r\n", name, value);
  if (options.in_pieces) {
    text += "Transfer-Encoding: chunked\r\n";
  } else if (response.status != 204) {
    text += fmt::format("Content-Length: {}\r\n", response.body.size());
  }
  text += options.keep_alive ? "Connection: keep-alive\r\n\r\n" : "Connection: close\r\n\r\n";
  return text;
}

}  // namespace attend
