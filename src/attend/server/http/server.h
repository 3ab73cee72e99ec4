// An HTTP/1.1 server that trusts nobody: it bounds headers, bodies, time and connections, and the
// memory of all bodies together. Nothing of the library below (Boost.Beast) is visible here.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "attend/server/http/exchange.h"

namespace attend {

struct HttpOptions {
  std::string listen = "127.0.0.1:8080";  // ADDRESS:PORT, [ADDRESS]:PORT; port 0: any that is free
  std::size_t max_header = 16 << 10;      // bytes of all header fields
  std::size_t max_body = 4 << 20;         // bytes
  std::size_t max_bodies = 256 << 20;     // bytes of all requests in progress, and of all responses
                                          // and pieces of responses that wait to be sent
  int max_connections = 1024;             // beyond: the longest idle one is closed, or the new
  double timeout = 60;           // seconds to receive a body, and to write each piece of a response
  double idle = 30;              // seconds until the header of the next request must have arrived
  double grace = 30;             // seconds that stop() leaves to requests in progress
  int threads = 1;               // that speak to clients; more only help if these are busy
  std::string certificate = {};  // PEM files; empty: no TLS
  std::string key = {};
  HttpHeaders fields = {};  // added to every response
};

// How a request ended.
struct HttpOutcome {
  int status = 0;             // 499: the client went before the response
  std::size_t bytes = 0;      // of the body of the response
  double seconds = 0;         // from the end of the request to the end of the response
  std::string key_name = {};  // what Exchange::sign() said
};

class HttpServer {
 public:
  // Called on threads of the server: must not block. `answer` may take long for a long body.
  struct Handlers {
    // The head of every request with a body, before that is read: why it need not be. Null: never.
    std::function<std::optional<HttpError>(const HttpRequest&)> admit = {};
    // Every complete request.
    std::function<void(const std::shared_ptr<Exchange>&)> answer;
    // The response to a request that is not HTTP, too large or too late, or for which `answer` has
    // thrown an HttpError.
    std::function<HttpResponse(const HttpRequest&, const HttpError&)> refuse;
    // Every response that was written, or could not be.
    std::function<void(const HttpRequest&, const HttpOutcome&)> finished;
  };

  // Opens the port. Throws ConfigError for an address, a certificate or a key that cannot be used,
  // IoError if the port is taken.
  HttpServer(HttpOptions options, Handlers handlers);
  ~HttpServer();
  HttpServer(const HttpServer&) = delete;
  HttpServer& operator=(const HttpServer&) = delete;

  // "127.0.0.1:8080", with the port in use.
  std::string address() const;
  int port() const;
  int connections() const;

  // Serves until stop(), on this thread and the others that it needs.
  void run();
  // From any thread: accepts nothing new, closes idle connections, lets requests in progress end
  // for up to the time of grace.
  void stop();

  struct State;

 private:
  std::shared_ptr<State> state_;
};

}  // namespace attend
