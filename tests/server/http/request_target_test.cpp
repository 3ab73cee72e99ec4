#include "attend/server/http/request_target.h"

#include <gtest/gtest.h>

#include "attend/server/http/message.h"

namespace attend {
namespace {

TEST(RequestTarget, IsAPathAndAQuery) {
  const RequestTarget target = parse_target("GET", "/translate?q=a%20b?c");
  EXPECT_EQ(target.path, "/translate");
  EXPECT_EQ(target.query, "q=a%20b?c");
  EXPECT_EQ(target.host, "");
}

TEST(RequestTarget, HasNoEscapesOfLettersAndDigits) {
  EXPECT_EQ(parse_target("GET", "/%74r%61nslate%2D%7e").path, "/translate-~");
  EXPECT_EQ(parse_target("GET", "/a%2Fb%20c%25").path, "/a%2Fb%20c%25") << "they mean something";
}

TEST(RequestTarget, MayBeAnAddress) {
  const RequestTarget target = parse_target("GET", "HTTP://host:8080/health?x");
  EXPECT_EQ(target.host, "host:8080");
  EXPECT_EQ(target.path, "/health");
  EXPECT_EQ(target.query, "x");
  EXPECT_EQ(parse_target("GET", "https://[::1]").path, "/");
  EXPECT_EQ(parse_target("GET", "http://host?x").query, "x");
}

TEST(RequestTarget, IsAStarForOptionsAlone) {
  EXPECT_EQ(parse_target("OPTIONS", "*").path, "*");
  EXPECT_THROW(parse_target("GET", "*"), HttpError);
}

TEST(RequestTarget, IsRefusedIfItIsNeither) {
  for (const char* target : {"", "health", "ftp://host/", "http:///x", "http://user@host/",
                             "http://a b/", "/%", "/%4", "/%zz", "host:443"})
    EXPECT_THROW(parse_target("GET", target), HttpError) << target;
}

}  // namespace
}  // namespace attend
