#include "attend/server/work/time_limit.h"

#include <gtest/gtest.h>

#include <thread>
#include <vector>

namespace attend {
namespace {

std::shared_ptr<Exchange> exchange() {
  return std::make_shared<Exchange>(HttpRequest{.method = "GET", .path = "/", .query = {}});
}

bool expires(const Exchange& exchange) {
  for (int i = 0; i < 1000 && !exchange.is_expired(); ++i)
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  return exchange.is_expired();
}

TEST(TimeLimit, LetsExchangesExpireInTheirOrder) {
  TimeLimit limit(0.05);
  const auto first = exchange(), answered = exchange(), last = exchange();
  limit.watch(first);
  limit.watch(answered);
  answered->respond({.body = "in time"});
  limit.watch(last);
  EXPECT_TRUE(expires(*last));
  EXPECT_TRUE(first->is_expired());
  EXPECT_FALSE(answered->is_expired());
}

TEST(TimeLimit, MayBeNone) {
  TimeLimit limit(0);
  const auto one = exchange();
  limit.watch(one);
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  EXPECT_FALSE(one->is_expired());
}

TEST(TimeLimit, KeepsNoExchange) {
  TimeLimit limit(1000);
  std::weak_ptr<Exchange> first;
  for (int i = 0; i < 2000; ++i) {
    const auto one = exchange();
    if (i == 0) first = one;
    limit.watch(one);
  }
  EXPECT_TRUE(first.expired());
}

}  // namespace
}  // namespace attend
