// A server with a handler of its own, on as many threads as the parameter says.
#pragma once

#include <gtest/gtest.h>

#include <atomic>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <thread>

#include "attend/server/http/server.h"
#include "server/raw_client.h"

namespace attend {

// Answers with the method, the path, the query and the body. The parameter is the number of
// threads.
class HttpServerTest : public testing::TestWithParam<int> {
 protected:
  ~HttpServerTest() override { stop(); }

  void start(HttpOptions options = {}) {
    options.listen = "127.0.0.1:0";
    options.threads = GetParam();
    server_.emplace(
        options,
        HttpServer::Handlers{
            .admit = [this](const HttpRequest& request) { return admit_(request); },
            .answer = [this](const auto& exchange) { answer_(exchange); },
            .refuse =
                [](const HttpRequest&, const HttpError& error) {
                  return HttpResponse{.status = error.status, .body = error.message};
                },
            .finished = [this](const HttpRequest&,
                               const HttpOutcome& outcome) { last_status_ = outcome.status; }});
    thread_ = std::thread([this] { server_->run(); });
  }
  void stop() {
    if (!thread_.joinable()) return;
    server_->stop();
    thread_.join();
  }
  int port() const { return server_->port(); }

  static void echo(const std::shared_ptr<Exchange>& exchange) {
    const HttpRequest& r = exchange->request();
    exchange->respond({.body = r.method + " " + r.path + " " + r.query + " " + r.body});
  }
  // The status for one request of these bytes.
  int status_of(const std::string& bytes) {
    RawClient client(port());
    client.send(bytes);
    return client.receive().status;
  }

  std::function<std::optional<HttpError>(const HttpRequest&)> admit_ = [](const HttpRequest&) {
    return std::optional<HttpError>();
  };
  std::function<void(const std::shared_ptr<Exchange>&)> answer_ = echo;
  std::optional<HttpServer> server_;
  std::atomic<int> last_status_{0};
  std::thread thread_;
};

}  // namespace attend
