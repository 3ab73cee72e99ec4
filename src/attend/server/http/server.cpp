#include "attend/server/http/server.h"

#include <fmt/format.h>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/strand.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <charconv>
#include <chrono>
#include <thread>
#include <vector>

#include "attend/core/options/option_error.h"
#include "attend/core/strings/quote.h"
#include "attend/error.h"
#include "attend/server/http/server_state.h"

namespace attend {
namespace {

using Failure = boost::system::error_code;

// How often, and after what time, a connection looks again for room beside others that are busy.
constexpr int kLooksForRoom = 50;
constexpr std::chrono::milliseconds kLookForRoom{10};

// "127.0.0.1:8080" or "[::1]:8080".
tcp::endpoint endpoint_of(const std::string& listen) {
  const std::size_t colon = listen.rfind(':');
  std::string host = listen.substr(0, colon);
  if (host.starts_with('[') && host.ends_with(']')) host = host.substr(1, host.size() - 2);
  if (host == "localhost") host = "127.0.0.1";
  Failure failure;
  const auto address = net::ip::make_address(host, failure);
  unsigned short port = 0;
  const char* const end = listen.data() + listen.size();
  const char* const begin = colon == listen.npos ? end : listen.data() + colon + 1;
  const auto parsed = std::from_chars(begin, end, port);
  if (failure || begin == end || parsed.ec != std::errc() || parsed.ptr != end)
    throw OptionError<ConfigError>(
        "{}: expected an address and a port such as 127.0.0.1:8080 or [::1]:8080, got {}",
        as_flag("listen"), quote(listen));
  return {address, port};
}

net::ssl::context tls_of(const HttpOptions& options) {
  net::ssl::context tls(net::ssl::context::tls_server);
  tls.set_options(net::ssl::context::default_workarounds | net::ssl::context::no_sslv2 |
                  net::ssl::context::no_sslv3 | net::ssl::context::no_tlsv1 |
                  net::ssl::context::no_tlsv1_1);
  Failure failure;
  tls.use_certificate_chain_file(options.certificate, failure);
  if (failure)
    throw OptionError<ConfigError>("{}: expected a PEM file with a certificate, cannot use {}: {}",
                                   as_flag("certificate"), quote(options.certificate),
                                   failure.message());
  tls.use_private_key_file(options.key, net::ssl::context::pem, failure);
  if (failure)
    throw OptionError<ConfigError>(
        "{}: expected a PEM file with the key of the certificate, cannot use {}: {}",
        as_flag("key"), quote(options.key), failure.message());
  return tls;
}

void open_port(tcp::acceptor& acceptor, const std::string& listen) {
  const tcp::endpoint endpoint = endpoint_of(listen);
  Failure failure;
  acceptor.open(endpoint.protocol(), failure);
  if (!failure) acceptor.set_option(net::socket_base::reuse_address(true), failure);
  if (!failure) acceptor.bind(endpoint, failure);
  if (!failure) acceptor.listen(net::socket_base::max_listen_connections, failure);
  if (failure)
    throw OptionError<IoError>("{}: cannot listen on {}: {}", as_flag("listen"), listen,
                               failure.message());
}

// Returns whether there may be one more connection. The longest idle one is closed for it; one that
// has just been answered is idle soon.
net::awaitable<bool> make_room(HttpServer::State& state) {
  for (int i = 0; i < kLooksForRoom && !state.stopping; ++i) {
    if (state.connections.size() < state.options.max_connections) co_return true;
    if (state.connections.close_longest_idle()) co_return true;
    Failure ignored;
    state.pause.expires_after(kLookForRoom);
    co_await state.pause.async_wait(net::redirect_error(net::use_awaitable, ignored));
  }
  co_return false;
}

net::awaitable<void> accept_connections(std::shared_ptr<HttpServer::State> state) {
  while (!state->stopping) {
    tcp::socket socket(state->executor());
    Failure failure;
    co_await state->acceptor.async_accept(socket, net::redirect_error(net::use_awaitable, failure));
    if (state->stopping) break;
    if (!failure) {
      const bool has_room = co_await make_room(*state);
      if (has_room) start_connection(state, std::move(socket));
      continue;
    }
    // No descriptors are left, most likely.
    state->connections.close_longest_idle();
    state->pause.expires_after(std::chrono::milliseconds(50));
    co_await state->pause.async_wait(net::redirect_error(net::use_awaitable, failure));
  }
}

}  // namespace

HttpServer::HttpServer(HttpOptions options, Handlers handlers)
    : state_(std::make_shared<State>(std::move(options), std::move(handlers))) {
  const HttpOptions& own = state_->options;
  if (own.certificate.empty() != own.key.empty())
    throw OptionError<ConfigError>("{} and {}: expected both or none, got one",
                                   as_flag("certificate"), as_flag("key"));
  if (!own.certificate.empty()) state_->tls.emplace(tls_of(own));
  open_port(state_->acceptor, own.listen);
}

HttpServer::~HttpServer() = default;

std::string HttpServer::address() const {
  const tcp::endpoint endpoint = state_->acceptor.local_endpoint();
  const std::string address = endpoint.address().to_string();
  return endpoint.address().is_v6() ? fmt::format("[{}]:{}", address, endpoint.port())
                                    : fmt::format("{}:{}", address, endpoint.port());
}

int HttpServer::port() const { return state_->acceptor.local_endpoint().port(); }

int HttpServer::connections() const { return state_->connections.size(); }

void HttpServer::run() {
  // On the executor of the acceptor, as stop() is: it may not close between two steps of the loop.
  net::co_spawn(
      state_->acceptor.get_executor(), [state = state_] { return accept_connections(state); },
      net::detached);
  std::vector<std::thread> others;
  for (int i = 1; i < state_->options.threads; ++i)
    others.emplace_back([state = state_] { state->io.run(); });
  state_->io.run();
  for (std::thread& other : others) other.join();
  state_->long_requests.join();
  // What they posted at last would keep the state alive, as its context keeps it.
  state_->io.restart();
  state_->io.poll();
}

void HttpServer::stop() {
  // Posting may let run() return, and the server end, before this call does.
  const std::shared_ptr<State> kept = state_;
  kept->stopping = true;
  net::post(kept->acceptor.get_executor(), [state = kept] {
    Failure ignored;
    state->acceptor.close(ignored);
    state->connections.close_idle();
    if (state->connections.size() == 0) return;
    state->grace.expires_after(duration_of(state->options.grace));
    state->grace.async_wait([state](const Failure& failure) {
      if (!failure) state->connections.close_all();
    });
  });
}

}  // namespace attend
