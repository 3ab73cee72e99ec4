// The HTTP server with a handler of its own: how connections go on, and that nobody can hold it up.
#include "attend/server/http/server.h"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <list>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

#include "attend/error.h"
#include "server/http/served_http.h"

namespace attend {
namespace {

using namespace std::chrono_literals;

TEST_P(HttpServerTest, AnswersRequestsOfOneConnectionInOrder) {
  start();
  RawClient client(port());
  EXPECT_EQ(client.get("/a?x=1").body, "GET /a x=1 ");
  EXPECT_EQ(client.post("/b", "text").body, "POST /b  text");
  client.send("GET /c HTTP/1.1\r\nHost: t\r\n\r\nGET /d HTTP/1.1\r\nHost: t\r\n\r\n");
  EXPECT_EQ(client.receive().body, "GET /c  ");
  EXPECT_EQ(client.receive().body, "GET /d  ");
}

TEST_P(HttpServerTest, ClosesWhenAskedToAndForOldClients) {
  start();
  RawClient modern(port()), old(port());
  modern.send("GET / HTTP/1.1\r\nHost: t\r\nConnection: close\r\n\r\n");
  EXPECT_EQ(modern.receive().field("Connection"), "close");
  EXPECT_TRUE(modern.is_closed());
  old.send("GET / HTTP/1.0\r\n\r\n");
  EXPECT_EQ(old.receive().status, 200);
  EXPECT_TRUE(old.is_closed());
}

TEST_P(HttpServerTest, SendsNoBodyForHead) {
  start();
  RawClient client(port());
  client.send("HEAD / HTTP/1.1\r\nHost: t\r\n\r\nGET /x HTTP/1.1\r\nHost: t\r\n\r\n");
  std::string head = client.receive().head;
  EXPECT_NE(head.find("Content-Length: 8"), std::string::npos) << head;
}

TEST_P(HttpServerTest, AdmitsRequestsBeforeItReadsTheirBodies) {
  admit_ = [](const HttpRequest& request) -> std::optional<HttpError> {
    if (request.headers.find("x-key") == "good") return std::nullopt;
    return HttpError{401, "no"};
  };
  start();
  RawClient refused(port()), invited(port()), admitted(port());
  refused.send("POST / HTTP/1.1\r\nHost: t\r\nContent-Length: 1000000\r\n\r\n");
  EXPECT_EQ(refused.receive().status, 401) << "without a byte of the body";
  invited.send("POST / HTTP/1.1\r\nHost: t\r\nExpect: 100-continue\r\nContent-Length: 2\r\n\r\n");
  EXPECT_EQ(invited.receive().status, 401) << "instead of 100";
  admitted.send("POST / HTTP/1.1\r\nHost: t\r\nX-Key: good\r\nContent-Length: 2\r\n\r\nab");
  EXPECT_EQ(admitted.receive().body, "POST /  ab");
  EXPECT_EQ(RawClient(port()).get("/").status, 200) << "the handler answers what has no body";
}

TEST_P(HttpServerTest, ClosesConnectionsThatSendTooSlowly) {
  start({.timeout = 0.2, .idle = 0.2});
  RawClient silent(port()), header(port()), body(port());
  header.send("GET / HTTP/1.1\r\nHos");
  body.send("POST / HTTP/1.1\r\nHost: t\r\nContent-Length: 10\r\n\r\nabc");
  EXPECT_EQ(header.receive().status, 408);
  EXPECT_EQ(body.receive().status, 408);
  EXPECT_TRUE(silent.is_closed());
}

TEST_P(HttpServerTest, MakesRoomByClosingTheLongestIdle) {
  start({.max_connections = 4});
  std::list<RawClient> idle;
  for (int i = 0; i < 4; ++i) {
    idle.emplace_back(port());
    EXPECT_EQ(idle.back().get("/").status, 200);
    std::this_thread::sleep_for(50ms);  // a connection is idle soon after its response
  }
  RawClient late(port());
  EXPECT_EQ(late.get("/").status, 200);
  EXPECT_TRUE(idle.front().is_closed());
  EXPECT_EQ(idle.back().get("/").status, 200);
}

TEST_P(HttpServerTest, AcceptsNoneBesideTheMostWhileAllAreBusy) {
  std::mutex mutex;
  std::vector<std::shared_ptr<Exchange>> open;
  std::atomic<int> asked{0};
  std::atomic<bool> released{false};
  answer_ = [&](const auto& exchange) {
    if (released) return echo(exchange);
    const std::lock_guard lock(mutex);
    open.push_back(exchange);
    ++asked;
  };
  start({.max_connections = 2});
  std::list<RawClient> busy;
  for (int i = 0; i < 2; ++i) busy.emplace_back(port()).send("GET / HTTP/1.1\r\nHost: t\r\n\r\n");
  while (asked < 2) std::this_thread::sleep_for(1ms);
  RawClient late(port());
  EXPECT_TRUE(late.is_closed());
  EXPECT_EQ(server_->connections(), 2);
  released = true;
  for (const std::shared_ptr<Exchange>& exchange : open) exchange->respond({.body = "done"});
  for (RawClient& client : busy) EXPECT_EQ(client.receive().body, "done");
  RawClient next(port());
  EXPECT_EQ(next.get("/").status, 200) << "one of the others is idle, at once or soon";
}

TEST_P(HttpServerTest, BoundsTheMemoryOfAllBodies) {
  start({.max_body = 1000, .max_bodies = 1500});
  RawClient first(port()), second(port());
  const std::string request = "POST / HTTP/1.1\r\nHost: t\r\nContent-Length: 1000\r\n\r\n";
  first.send(request + std::string(900, 'a'));
  std::this_thread::sleep_for(200ms);
  second.send(request + std::string(900, 'a'));
  const RawResponse refused = second.receive();
  EXPECT_EQ(refused.status, 503);
  first.send(std::string(100, 'a'));
  EXPECT_EQ(first.receive().status, 200);
  // What was taken is given back, soon after the response.
  int status = 503;
  for (int i = 0; i < 500 && status == 503; ++i) {
    status = RawClient(port()).post("/", std::string(1000, 'a')).status;
    std::this_thread::sleep_for(10ms);
  }
  EXPECT_EQ(status, 200);
}

TEST_P(HttpServerTest, StreamsPiecesAsTheyCome) {
  std::shared_ptr<Exchange> open;
  std::atomic<bool> begun{false};
  answer_ = [&](const auto& exchange) {
    open = exchange;
    exchange->begin({.type = "text/event-stream"});
    exchange->write("one ");
    begun = true;
  };
  start();
  RawClient client(port());
  client.send("GET / HTTP/1.1\r\nHost: t\r\n\r\n");
  while (!begun) std::this_thread::sleep_for(1ms);
  open->write("two");
  open->end();
  const RawResponse response = client.receive();
  EXPECT_EQ(response.body, "one two");
  EXPECT_EQ(response.field("Content-Type"), "text/event-stream");
  answer_ = echo;
  EXPECT_EQ(client.get("/").status, 200) << "the connection can be used again";
}

TEST_P(HttpServerTest, TellsWhenAClientHasHungUp) {
  std::atomic<bool> asked{false}, gone{false};
  std::shared_ptr<Exchange> open;
  answer_ = [&](const auto& exchange) {
    open = exchange;
    exchange->on_hang_up([&] { gone = true; });
    asked = true;
  };
  start();
  {
    RawClient client(port());
    client.send("GET / HTTP/1.1\r\nHost: t\r\n\r\nmore");
    while (!asked) std::this_thread::sleep_for(1ms);
  }
  for (int i = 0; i < 2000 && !gone; ++i) std::this_thread::sleep_for(1ms);
  EXPECT_TRUE(gone);
  open->respond({});
  for (int i = 0; i < 2000 && last_status_ == 0; ++i) std::this_thread::sleep_for(1ms);
  EXPECT_EQ(last_status_, 499);
}

TEST_P(HttpServerTest, ErrorsOfHandlersAreAnswers) {
  answer_ = [](const auto& exchange) {
    if (exchange->request().path == "/http") throw HttpError{403, "no"};
    throw std::runtime_error("what");
  };
  start();
  RawClient client(port());
  EXPECT_EQ(client.get("/http").status, 403);
  EXPECT_EQ(client.get("/other").status, 500);
}

TEST_P(HttpServerTest, StopsWhenTheLastRequestIsAnswered) {
  std::shared_ptr<Exchange> open;
  std::atomic<bool> asked{false};
  answer_ = [&](const auto& exchange) {
    open = exchange;
    asked = true;
  };
  start();
  RawClient busy(port()), idle(port());
  busy.send("GET / HTTP/1.1\r\nHost: t\r\n\r\n");
  while (!asked) std::this_thread::sleep_for(1ms);
  server_->stop();
  EXPECT_TRUE(idle.is_closed());
  open->respond({.body = "late"});
  const RawResponse response = busy.receive();
  EXPECT_EQ(response.body, "late");
  EXPECT_EQ(response.field("Connection"), "close");
  thread_.join();
}

TEST_P(HttpServerTest, StopDoesNotWaitLongerThanTheTimeOfGrace) {
  std::shared_ptr<Exchange> open;
  std::atomic<bool> asked{false};
  answer_ = [&](const auto& exchange) {
    open = exchange;
    asked = true;
  };
  start({.grace = 0.1});
  RawClient busy(port());
  busy.send("GET / HTTP/1.1\r\nHost: t\r\n\r\n");
  while (!asked) std::this_thread::sleep_for(1ms);
  stop();
  EXPECT_TRUE(busy.is_closed());
}

TEST_P(HttpServerTest, InvitesLargeBodies) {
  start();
  RawClient client(port());
  client.send("POST / HTTP/1.1\r\nHost: t\r\nExpect: 100-continue\r\nContent-Length: 2\r\n\r\n");
  EXPECT_EQ(client.receive().status, 100);
  client.send("ab");
  EXPECT_EQ(client.receive().body, "POST /  ab");
}

TEST_P(HttpServerTest, InvitesNobodyWhoDoesNotWait) {
  start();
  RawClient old(port()), quick(port());
  old.send("POST / HTTP/1.0\r\nExpect: 100-continue\r\nContent-Length: 2\r\n\r\n");
  std::this_thread::sleep_for(50ms);
  old.send("ab");
  EXPECT_EQ(old.receive().status, 200) << "HTTP/1.0 knows no 100";
  quick.send("POST / HTTP/1.1\r\nHost: t\r\nExpect: 100-continue\r\nContent-Length: 2\r\n\r\nab");
  EXPECT_EQ(quick.receive().status, 200) << "the body is there already";
  EXPECT_EQ(status_of("POST / HTTP/1.1\r\nHost: t\r\nExpect: more\r\nContent-Length: 0\r\n\r\n"),
            417);
  EXPECT_EQ(status_of("POST / HTTP/1.1\r\nHost: t\r\nExpect: 100-continue\r\n"
                      "Content-Length: 999999999\r\n\r\n"),
            413);
}

TEST(HttpServer, NamesAddressesThatCannotBeUsed) {
  const auto open = [](const std::string& listen) { HttpServer server({.listen = listen}, {}); };
  for (const char* wrong : {"", "8080", "127.0.0.1", "127.0.0.1:", "127.0.0.1:x", "host:80",
                            "127.0.0.1:99999", "127.0.0.1:80 "})
    EXPECT_THROW(open(wrong), ConfigError) << wrong;
  HttpServer taken({.listen = "127.0.0.1:0"}, {});
  EXPECT_THROW(open(taken.address()), IoError);
  EXPECT_THROW(HttpServer({.listen = "127.0.0.1:0", .certificate = "a.pem"}, {}), ConfigError);
  EXPECT_THROW(HttpServer({.listen = "127.0.0.1:0", .certificate = "a.pem", .key = "b.pem"}, {}),
               ConfigError);
}

TEST_P(HttpServerTest, MayEndWhileAnotherThreadStillStopsIt) {
  for (int i = 0; i < 50; ++i) {
    start();
    std::thread stopping([this] { server_->stop(); });
    thread_.join();
    server_.reset();
    stopping.join();
  }
}

INSTANTIATE_TEST_SUITE_P(HttpServer, HttpServerTest, testing::Values(1, 2));

}  // namespace
}  // namespace attend
