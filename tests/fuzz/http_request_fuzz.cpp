// The HTTP server against hostile bytes on a real socket: it answers or closes, and lives. It takes
// the same requests whether the bytes arrive at once or in two parts.
#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <functional>
#include <string>
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
    options.max_body = 16 << 10;
    options.timeout = options.idle = 10;
    auto* const made = new HttpServer(
        options, {.answer =
                      [](const std::shared_ptr<Exchange>& exchange) {
                        const HttpRequest& request = exchange->request();
                        exchange->respond({.body = request.path + request.query + request.body});
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

void send(int socket, std::string_view bytes) {
  // The server may have closed the connection.
  if (!bytes.empty()) ::send(socket, bytes.data(), bytes.size(), MSG_NOSIGNAL);
}

// What the server says to these bytes, sent in two parts, until it closes.
std::string answer_to(std::string_view first, std::string_view second) {
  const int socket = ::socket(AF_INET, SOCK_STREAM, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(static_cast<std::uint16_t>(running_server().port()));
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  // A server that does not close is as bad as one that crashes.
  const timeval patience{.tv_sec = 20, .tv_usec = 0};
  setsockopt(socket, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
  const int at_once = 1;
  setsockopt(socket, IPPROTO_TCP, TCP_NODELAY, &at_once, sizeof at_once);
  if (::connect(socket, reinterpret_cast<sockaddr*>(&address), sizeof address) != 0) std::abort();
  send(socket, first);
  send(socket, second);
  ::shutdown(socket, SHUT_WR);
  std::string answer;
  char bytes[4096];
  ssize_t count = 0;
  while ((count = ::recv(socket, bytes, sizeof bytes, 0)) > 0)
    answer.append(bytes, static_cast<std::size_t>(count));
  if (count < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) std::abort();
  ::close(socket);
  return answer;
}

void erase_all(std::string& text, std::string_view begin, std::string_view end) {
  for (std::size_t at = 0; (at = text.find(begin, at)) != text.npos;)
    text.erase(at, text.find(end, at + begin.size()) + end.size() - at);
}

// The answers before the first refusal, without what depends on when the bytes arrived: dates, and
// "100 Continue", which a server need not send when part of the body is there (RFC 9110, 10.1.1).
// Whether a refusal comes before the server closes depends on how much of a wrong request is there.
std::string accepted(std::string answer) {
  erase_all(answer, "HTTP/1.1 100 ", "\r\n\r\n");
  answer.resize(std::min({answer.size(), answer.find("HTTP/1.1 4"), answer.find("HTTP/1.1 5")}));
  erase_all(answer, "\r\nDate: ", "\r\n");
  return answer;
}

void use(std::string_view input) {
  const std::size_t cut = std::hash<std::string_view>()(input) % (input.size() + 1);
  if (accepted(answer_to(input, {})) !=
      accepted(answer_to(input.substr(0, cut), input.substr(cut))))
    std::abort();
}

const RegisteredFuzzTarget registered{{"http_request", corpus, dictionary, use}};

}  // namespace
}  // namespace attend::http_request_fuzz
