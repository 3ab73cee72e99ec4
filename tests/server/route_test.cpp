#include "attend/server/route.h"

#include <gtest/gtest.h>

#include <new>
#include <set>
#include <string>

#include "attend/checkpoint/finite.h"
#include "attend/core/options/option_error.h"
#include "attend/core/too_long.h"
#include "attend/error.h"

namespace attend {
namespace {

template <class Thrown>
HttpError http_error(const Thrown& error) {
  return http_error_of(std::make_exception_ptr(error));
}

TEST(RouteErrors, HaveTheStatusOfTheirKind) {
  EXPECT_EQ(http_error(ConfigError("a")).status, 400);
  EXPECT_EQ(http_error(DataError("a")).status, 400);
  EXPECT_EQ(http_error(LineError("a")).status, 400);
  EXPECT_EQ(http_error(TooLongError("a")).status, 413);
  EXPECT_EQ(http_error(NotFiniteError("a")).status, 500) << "the model is broken";
  EXPECT_EQ(http_error(std::runtime_error("a")).status, 500);
  for (const int status :
       {http_error(OverloadedError("a")).status, http_error(CancelledError("a")).status,
        http_error(IoError("a")).status, http_error(std::bad_alloc()).status})
    EXPECT_EQ(status, 503);
  EXPECT_EQ(http_error(HttpError{409, "a", 7}).retry_after, 7) << "errors of routes stay";
}

TEST(RouteErrors, TellWhenToTryAgain) {
  EXPECT_GT(http_error(OverloadedError("full")).retry_after, 0);
  EXPECT_EQ(http_error(ConfigError("a")).retry_after, 0);
  EXPECT_EQ(error_response({503, "full", 3}, Dialect::plain).headers.find("Retry-After"), "3");
  EXPECT_EQ(error_response({400, "a"}, Dialect::plain).headers.find("Retry-After"), "");
}

TEST(RouteErrors, NameOptionsAsJsonDoes) {
  const OptionError<TooLongError> error("expected at most 3 tokens ({})", as_flag("max-tokens"));
  EXPECT_EQ(http_error(error).message, "expected at most 3 tokens (max_tokens)");
  EXPECT_EQ(http_error(error).status, 413);
}

TEST(RouteErrors, LookLikeThoseOfTheOriginal) {
  const auto body = [](int status, Dialect dialect) {
    return nlohmann::json::parse(error_response({status, "no \"a\"\xFF"}, dialect).body);
  };
  EXPECT_EQ(body(400, Dialect::plain).size(), 1u);
  EXPECT_TRUE(body(400, Dialect::plain)["error"].is_string());
  EXPECT_EQ(body(400, Dialect::openai)["error"]["type"], "invalid_request_error");
  EXPECT_EQ(body(401, Dialect::openai)["error"]["type"], "authentication_error");
  EXPECT_EQ(body(429, Dialect::openai)["error"]["type"], "rate_limit_error");
  EXPECT_EQ(body(503, Dialect::openai)["error"]["type"], "server_error");
  EXPECT_EQ(body(413, Dialect::embeddings)["error_type"], "Validation");
  EXPECT_EQ(body(503, Dialect::embeddings)["error_type"], "Overloaded");
  EXPECT_EQ(body(500, Dialect::embeddings)["error_type"], "Backend");
}

TEST(RouteErrors, AskForAKey) {
  EXPECT_EQ(error_response({401, "a"}, Dialect::openai).headers.find("WWW-Authenticate"), "Bearer");
  EXPECT_EQ(error_response({403, "a"}, Dialect::openai).headers.find("WWW-Authenticate"), "");
}

TEST(RoutePath, StandsForItselfOrForAllThatBeginWithIt) {
  Route one, all, root;
  one.path = "/models";
  all.path = "/models/";
  root.path = "/";
  EXPECT_TRUE(is_path_of(one, "/models"));
  EXPECT_FALSE(is_path_of(one, "/models/"));
  EXPECT_FALSE(is_path_of(one, "/modelsx"));
  EXPECT_TRUE(is_path_of(all, "/models/a"));
  EXPECT_FALSE(is_path_of(all, "/models/")) << "the name is missing";
  EXPECT_FALSE(is_path_of(all, "/models"));
  EXPECT_TRUE(is_path_of(root, "/"));
  EXPECT_FALSE(is_path_of(root, "/a"));
}

TEST(RouteTable, HasEveryMethodOfAPathOnce) {
  std::set<std::string> seen;
  for (const Route& route : all_routes()) {
    EXPECT_TRUE(seen.insert(std::string(route.method) + " " + std::string(route.path)).second)
        << route.path;
    EXPECT_FALSE(route.summary.empty()) << route.path;
    EXPECT_NE(route.run, nullptr) << route.path;
  }
}

}  // namespace
}  // namespace attend
