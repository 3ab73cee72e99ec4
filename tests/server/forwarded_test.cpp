#include "attend/server/forwarded.h"

#include <gtest/gtest.h>

namespace attend {
namespace {

Forwarded said(std::initializer_list<std::pair<const char*, const char*>> fields) {
  HttpHeaders headers;
  for (const auto& [name, value] : fields) headers.add(name, value);
  return forwarded_of(headers);
}

TEST(Forwarded, ReadsWhatProxiesSend) {
  const Forwarded one = said({{"X-Forwarded-Proto", "https"},
                              {"X-Forwarded-Host", "translate.example.org:8443"},
                              {"X-Forwarded-Prefix", "/translate/"},
                              {"X-Forwarded-For", "203.0.113.7"}});
  EXPECT_EQ(one.scheme, "https");
  EXPECT_EQ(one.host, "translate.example.org:8443");
  EXPECT_EQ(one.prefix, "/translate");
  EXPECT_EQ(one.client, "203.0.113.7");
}

TEST(Forwarded, ReadsTheStandardField) {
  const Forwarded one =
      said({{"Forwarded", "for=192.0.2.1, For=\"[2001:db8::1]\";Proto=HTTPS;host=\"a.b\""}});
  EXPECT_EQ(one.scheme, "https");
  EXPECT_EQ(one.host, "a.b");
  EXPECT_EQ(one.client, "[2001:db8::1]");
}

TEST(Forwarded, TrustsTheNearestProxyOnly) {
  EXPECT_EQ(said({{"X-Forwarded-For", "evil, 203.0.113.7"}}).client, "203.0.113.7");
  EXPECT_EQ(said({{"X-Forwarded-Proto", "http"}, {"X-Forwarded-Proto", "https"}}).scheme, "https");
}

TEST(Forwarded, TakesNothingThatCouldLeadElsewhere) {
  for (const char* host : {"a/b", "a b", "a@b", "\"a\"", "a\\b"})
    EXPECT_EQ(said({{"X-Forwarded-Host", host}}).host, "") << host;
  for (const char* prefix : {"//evil.org", "evil", "/a b", "/a?b"})
    EXPECT_EQ(said({{"X-Forwarded-Prefix", prefix}}).prefix, "") << prefix;
  EXPECT_EQ(said({{"X-Forwarded-Proto", "javascript"}}).scheme, "");
  EXPECT_EQ(said({}).host, "");
}

}  // namespace
}  // namespace attend
