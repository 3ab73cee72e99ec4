#include "attend/server/http/exchange.h"

#include <gtest/gtest.h>

namespace attend {
namespace {

HttpRequest request() { return {.method = "GET", .path = "/", .query = {}}; }

TEST(Exchange, TakesTheFirstResponse) {
  Exchange exchange(request());
  exchange.respond({.body = "first"});
  exchange.respond({.body = "second"});
  exchange.begin({.body = "third"});
  exchange.write("more");
  const Exchange::News news = exchange.take();
  ASSERT_TRUE(news.head);
  EXPECT_EQ(news.head->body, "first");
  EXPECT_TRUE(news.complete);
  EXPECT_FALSE(news.in_pieces);
  EXPECT_EQ(news.more, "");
  EXPECT_FALSE(exchange.take().head) << "news is new once";
}

TEST(Exchange, GathersPiecesUntilTheyAreTaken) {
  Exchange exchange(request());
  int wakes = 0;
  exchange.on_news([&] { ++wakes; });
  exchange.write("too early");
  exchange.begin({.body = "head"});
  exchange.write("a");
  exchange.write("b");
  Exchange::News news = exchange.take();
  EXPECT_EQ(news.head->body + news.more, "headab");
  EXPECT_FALSE(news.complete);
  exchange.end();
  exchange.write("too late");
  news = exchange.take();
  EXPECT_EQ(news.more, "");
  EXPECT_TRUE(news.complete);
  EXPECT_EQ(wakes, 4);
}

TEST(Exchange, TellsOfAClientThatHasGone) {
  int calls = 0;
  Exchange exchange(request());
  exchange.on_hang_up([&] { ++calls; });
  EXPECT_FALSE(exchange.is_abandoned());
  exchange.abandon();
  exchange.abandon();
  EXPECT_EQ(calls, 1);
  EXPECT_TRUE(exchange.is_abandoned());
  exchange.on_hang_up([&] { ++calls; });
  EXPECT_EQ(calls, 2) << "at once";
}

TEST(Exchange, CancelsOnceItHasExpired) {
  Exchange exchange(request());
  int calls = 0;
  exchange.on_hang_up([&] { ++calls; });
  exchange.expire();
  EXPECT_EQ(calls, 1);
  EXPECT_TRUE(exchange.is_expired());
  EXPECT_FALSE(exchange.is_abandoned()) << "the client still gets a response";
  exchange.on_hang_up([&] { ++calls; });
  EXPECT_EQ(calls, 2) << "at once";
  exchange.respond({.body = "late"});
  EXPECT_TRUE(exchange.take().head);
  Exchange answered(request());
  answered.respond({.body = "in time"});
  answered.expire();
  EXPECT_FALSE(answered.is_expired());
}

TEST(Exchange, KeepsNoCallAfterTheResponse) {
  Exchange exchange({});
  exchange.release();
  const auto kept = std::make_shared<int>(0);
  exchange.on_hang_up([kept] {});
  EXPECT_EQ(kept.use_count(), 1) << "the connection has asked for nothing more";
}

TEST(Exchange, CallsNobodyAfterTheResponse) {
  int calls = 0;
  Exchange exchange(request());
  exchange.on_news([&] { ++calls; });
  exchange.on_hang_up([&] { ++calls; });
  exchange.release();
  exchange.respond({});
  exchange.abandon();
  EXPECT_EQ(calls, 0);
}

TEST(Exchange, SharesTheMemoryOfItsPiecesWithOthers) {
  const auto budget = std::make_shared<MemoryBudget>(10);
  Exchange one(request(), budget), other(request(), budget);
  one.begin({});
  other.begin({});
  one.write("123456");
  other.write("1234");
  EXPECT_FALSE(other.is_abandoned());
  EXPECT_EQ(one.take().more, "123456");
  one.write("7");
  EXPECT_TRUE(one.is_abandoned()) << "what was taken counts until the next is";
  one.abandon();
  EXPECT_EQ(budget->taken, 4u);
  other.take();
  other.take();
  EXPECT_EQ(budget->taken, 0u);
  other.write("1234567890");
  EXPECT_FALSE(other.is_abandoned());
  other.release();
  EXPECT_EQ(budget->taken, 0u);
}

}  // namespace
}  // namespace attend
