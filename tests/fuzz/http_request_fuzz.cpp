// The HTTP server against hostile bytes on a real socket: it answers or closes, and lives.
#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#include <cstdlib>
#include <thread>

#include "attend/server/http/server.h"
#include "fuzz/fuzz_target.h"

namespace attend::http_request_fuzz {
namespace {

// Runs until the process ends.
HttpServer& running_server() {
  static HttpServer* const server = [] {
    HttpOptions options;
    options.listen = "127.0.0.1:0";
    options.max_body = 4096;
    options.timeout = options.idle = 2;
    auto* const made = new HttpServer(
        options, {.answer =
                      [](const std::shared_ptr<Exchange>& exchange) {
                        exchange->respond({.body = exchange->request().path});
                      },
                  .refuse =
                      [](const HttpRequest&, const HttpError& error) {
                        return HttpResponse{.status = error.status, .body = error.message};
                      },
                  .finished = [](const HttpRequest&, const HttpOutcome&) {}});
    std::thread([made] { made->run(); }).detach();
    return made;
  }();
  return *server;
}

std::vector<std::string> corpus() {
  return {"GET / HTTP/1.1\r\nHost: t\r\n\r\n",
          "POST /x?y=z HTTP/1.1\r\nHost: t\r\nContent-Length: 3\r\n\r\nabc",
          "POST / HTTP/1.1\r\nHost: t\r\nTransfer-Encoding: chunked\r\n\r\n3;x=y\r\nabc\r\n0\r\nA: "
          "b\r\n"
          "\r\n",
          "GET / HTTP/1.0\r\nConnection: keep-alive\r\n\r\nHEAD / HTTP/1.1\r\nHost: t\r\n\r\n",
          "POST / HTTP/1.1\r\nHost: t\r\nExpect: 100-continue\r\nContent-Length: 9999\r\n\r\n"};
}

std::vector<std::string> dictionary() {
  return {"Transfer-Encoding: chunked\r\n",
          "Content-Length: 0\r\n",
          "Content-Length: ",
          "\r\n",
          "\r\n\r\n",
          "HTTP/1.1",
          "HTTP/2.0",
          "Host: t\r\n",
          "0\r\n\r\n",
          "ffffffffffffffff\r\n",
          "chunked",
          " ",
          "\t",
          "\n",
          ":",
          "GET ",
          "POST ",
          "%00",
          "Upgrade: h2c\r\n",
          "\xff"};
}

void use(std::string_view input) {
  const int socket = ::socket(AF_INET, SOCK_STREAM, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(static_cast<std::uint16_t>(running_server().port()));
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  // A server that does not close is as bad as one that crashes.
  const timeval patience{.tv_sec = 20, .tv_usec = 0};
  setsockopt(socket, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
  if (::connect(socket, reinterpret_cast<sockaddr*>(&address), sizeof address) != 0) std::abort();
  ::send(socket, input.data(), input.size(), MSG_NOSIGNAL);
  ::shutdown(socket, SHUT_WR);
  char bytes[4096];
  ssize_t count = 0;
  while ((count = ::recv(socket, bytes, sizeof bytes, 0)) > 0) {
  }
  if (count < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) std::abort();
  ::close(socket);
}

const RegisteredFuzzTarget registered{{"http_request", corpus, dictionary, use}};

}  // namespace
}  // namespace attend::http_request_fuzz
