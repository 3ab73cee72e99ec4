// What the connections of a server share. Includes Boost.Asio: only the files of this folder that
// speak to sockets include this header.
#pragma once

#include <utility>  // before Asio, whose coroutine support of Boost 1.74 forgets it

#include <atomic>
#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/ssl/context.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/strand.hpp>
#include <boost/asio/thread_pool.hpp>
#include <chrono>
#include <memory>
#include <optional>

#include "attend/server/http/connection_list.h"
#include "attend/server/http/memory_share.h"
#include "attend/server/http/server.h"

namespace attend {

namespace net = boost::asio;
using tcp = net::ip::tcp;

inline std::chrono::nanoseconds duration_of(double seconds) {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(
      std::chrono::duration<double>(seconds));
}

struct HttpServer::State : std::enable_shared_from_this<HttpServer::State> {
  State(HttpOptions o, Handlers h)
      : options(std::move(o)),
        handlers(std::move(h)),
        bodies(std::make_shared<MemoryBudget>(options.max_bodies)),
        responses(std::make_shared<MemoryBudget>(options.max_bodies)) {}

  // For what must not run on two threads at once. A single thread needs no strand.
  net::any_io_executor executor() {
    if (options.threads == 1) return io.get_executor();
    return net::make_strand(io);
  }

  HttpOptions options;
  Handlers handlers;
  const std::shared_ptr<MemoryBudget> bodies, responses;
  net::io_context io{options.threads};
  // Answers requests that would hold up the threads of `io`.
  net::thread_pool long_requests{static_cast<std::size_t>(options.threads)};
  tcp::acceptor acceptor{executor()};
  net::steady_timer pause{io};  // of the acceptor, when there is no room or no descriptor left
  net::steady_timer grace{io};  // until all connections are closed; on the acceptor's executor
  std::optional<net::ssl::context> tls;
  ConnectionList connections;
  std::atomic<bool> stopping{false};
};

// Serves a connection until it ends, on the executor of the socket. connection.cpp
void start_connection(std::shared_ptr<HttpServer::State> state, tcp::socket socket);

}  // namespace attend
