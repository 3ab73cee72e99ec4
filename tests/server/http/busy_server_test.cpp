// Requests that take long, and streams of clients that go or do not read: who is held up, and who
// is not.
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <functional>
#include <future>
#include <list>
#include <mutex>
#include <optional>
#include <string>
#include <thread>

#include "server/http/served_http.h"

namespace attend {
namespace {

using namespace std::chrono_literals;

// Requests to /held wait in the handler and hold up its thread.
class HeldUp : public HttpServerTest {
 protected:
  HeldUp() {
    answer_ = [this](const auto& exchange) {
      if (exchange->request().path == "/held") {
        ++held_;
        released_.wait();
      }
      echo(exchange);
    };
  }
  ~HeldUp() override { stop(); }

  // Whether a request is held before some seconds have passed, and the last had this status.
  bool is_held() {
    return comes_true([&] { return held_ > 0; });
  }
  bool last_had(int status) {
    return comes_true([&] { return last_status_ == status; });
  }

  std::atomic<int> held_{0};
  std::promise<void> release_;
  const std::shared_future<void> released_ = release_.get_future().share();

 private:
  static bool comes_true(const std::function<bool()>& condition) {
    for (int i = 0; i < 5000 && !condition(); ++i) std::this_thread::sleep_for(1ms);
    return condition();
  }
};

class LongRequests : public HeldUp {
 protected:
  const std::string text_ = std::string(20'000, 'a');
  const std::string form_ =
      "POST /held HTTP/1.1\r\nHost: t\r\nContent-Length: 2\r\n"
      "Content-Type: multipart/form-data; boundary=b\r\n\r\nab";
};

TEST_P(LongRequests, HoldUpNoShortOne) {
  start();
  RawClient busy(port()), other(port());
  std::thread sends([&] { EXPECT_EQ(busy.post("/held", text_).body, "POST /held  " + text_); });
  EXPECT_TRUE(is_held());
  EXPECT_EQ(other.post("/", "short").body, "POST /  short");
  release_.set_value();
  sends.join();
  EXPECT_EQ(other.post("/", text_).body, "POST /  " + text_);
}

TEST_P(LongRequests, AreThoseWithFiles) {
  start();
  RawClient busy(port()), other(port());
  busy.send(form_);
  EXPECT_TRUE(is_held());
  EXPECT_EQ(other.post("/", "short").body, "POST /  short");
  release_.set_value();
  EXPECT_EQ(busy.receive().status, 200);
}

TEST_P(LongRequests, OfClientsThatHaveGoneAreForgotten) {
  start();
  std::list<RawClient> busy;
  for (int i = 0; i < GetParam(); ++i) {
    held_ = 0;
    busy.emplace_back(port()).send(form_);
    EXPECT_TRUE(is_held());
  }
  {
    RawClient gone(port());
    gone.send("POST /held HTTP/1.1\r\nHost: t\r\nContent-Length: 20000\r\n\r\n" + text_);
  }
  EXPECT_TRUE(last_had(499));
  const int held = held_;
  release_.set_value();
  for (RawClient& client : busy) EXPECT_EQ(client.receive().status, 200);
  RawClient next(port());
  EXPECT_EQ(next.post("/", text_).body, "POST /  " + text_);
  EXPECT_EQ(held_, held) << "the handler has not seen it";
}

TEST_P(LongRequests, ThatFailInAnyWayAreAnswered) {
  answer_ = [](const auto&) { throw 1; };
  start();
  RawClient client(port());
  EXPECT_EQ(client.post("/", text_).status, 500);
  EXPECT_EQ(client.post("/", "short").status, 500);
}

TEST_P(LongRequests, EndBeforeTheServerDoes) {
  start({.grace = 0.1});
  RawClient busy(port()), waiting(port());
  busy.send(form_);
  EXPECT_TRUE(is_held());
  waiting.send(form_);
  server_->stop();
  EXPECT_TRUE(busy.is_closed());
  release_.set_value();
  stop();
}

INSTANTIATE_TEST_SUITE_P(HttpServer, LongRequests, testing::Values(1, 2));

TEST_P(HeldUp, OneThreadOfSeveralLeavesTheOthers) {
  start();
  RawClient busy(port()), other(port());
  std::thread sends([&] { EXPECT_EQ(busy.get("/held").status, 200); });
  EXPECT_TRUE(is_held());
  EXPECT_EQ(other.get("/").status, 200);
  release_.set_value();
  sends.join();
}

INSTANTIATE_TEST_SUITE_P(HttpServer, HeldUp, testing::Values(2));

// A response in pieces, which the test writes.
class Streams : public HttpServerTest {
 protected:
  Streams() {
    answer_ = [this](const auto& exchange) { asked_.set_value(exchange); };
  }
  std::shared_ptr<Exchange> begun(RawClient& client) {
    client.send("GET / HTTP/1.1\r\nHost: t\r\n\r\n");
    std::shared_ptr<Exchange> exchange = asked_.get_future().get();
    exchange->begin({});
    return exchange;
  }

 private:
  std::promise<std::shared_ptr<Exchange>> asked_;
};

TEST_P(Streams, EndWithTheirClientThoughTheyAreBusy) {
  start();
  std::optional<RawClient> client(port());
  const std::shared_ptr<Exchange> exchange = begun(*client);
  std::atomic<bool> gone{false};
  exchange->on_hang_up([&] { gone = true; });
  client.reset();
  for (int i = 0; i < 2000 && !gone; ++i) {
    exchange->write("more");
    std::this_thread::sleep_for(5ms);
  }
  EXPECT_TRUE(gone);
  exchange->end();
}

// A server writes with the lock that its call for a hang-up takes.
TEST_P(Streams, EndIfNobodyReadsThem) {
  start();
  RawClient client(port());
  const std::shared_ptr<Exchange> exchange = begun(client);
  std::mutex mutex;
  std::atomic<bool> gone{false};
  exchange->on_hang_up([&] {
    const std::lock_guard lock(mutex);
    gone = true;
  });
  const std::string piece(1 << 20, 'a');
  for (int i = 0; i < 64 && !gone; ++i) {
    {
      const std::lock_guard lock(mutex);
      exchange->write(piece);
    }
    std::this_thread::sleep_for(5ms);  // the connection writes until the client's buffers are full
  }
  for (int i = 0; i < 5000 && !gone; ++i) std::this_thread::sleep_for(1ms);
  EXPECT_TRUE(gone) << "long before the timeout";
}

INSTANTIATE_TEST_SUITE_P(HttpServer, Streams, testing::Values(1, 2));

}  // namespace
}  // namespace attend
