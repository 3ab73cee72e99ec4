#include "attend/server/http/response_head.h"

#include <gtest/gtest.h>

#include <regex>

namespace attend {
namespace {

TEST(ResponseHead, HasStatusFieldsAndLength) {
  HttpResponse response{.status = 413, .body = "12345"};
  response.headers.add("Retry-After", "1");
  HttpHeaders always;
  always.add("Access-Control-Allow-Origin", "*");
  const std::string head = response_head(response, always, {.keep_alive = true});
  EXPECT_TRUE(std::regex_match(
      head, std::regex("HTTP/1.1 413 Content Too Large\r\nServer: attend/[0-9.]+\r\n"
                       "Date: \\w{3}, \\d\\d \\w{3} \\d{4} \\d\\d:\\d\\d:\\d\\d GMT\r\n"
                       "Content-Type: application/json\r\nX-Content-Type-Options: nosniff\r\n"
                       "Access-Control-Allow-Origin: \\*\r\nRetry-After: 1\r\n"
                       "Content-Length: 5\r\nConnection: keep-alive\r\n\r\n")))
      << head;
}

TEST(ResponseHead, HasNoLengthInPiecesOrWithoutContent) {
  const std::string pieces = response_head({}, {}, {.in_pieces = true});
  EXPECT_NE(pieces.find("Transfer-Encoding: chunked\r\n"), pieces.npos);
  EXPECT_EQ(pieces.find("Content-Length"), pieces.npos);
  EXPECT_NE(pieces.find("Connection: close\r\n"), pieces.npos);
  const std::string none = response_head({.status = 204}, {}, {});
  EXPECT_EQ(none.find("\r\nContent-"), none.npos);
}

}  // namespace
}  // namespace attend
