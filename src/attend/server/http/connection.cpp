#include "attend/server/http/body_reader.h"
#include "attend/server/http/deadline.h"
#include "attend/server/http/received_request.h"
#include "attend/server/http/response_head.h"
#include "attend/server/http/server_state.h"

#include <fmt/format.h>
#include <netinet/tcp.h>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/read.hpp>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/ssl/stream.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/asio/write.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/http/error.hpp>
#include <boost/beast/http/parser.hpp>
#include <boost/beast/http/read.hpp>
#include <boost/beast/http/string_body.hpp>

namespace attend {
namespace {

using Failure = boost::system::error_code;
using TlsStream = net::ssl::stream<tcp::socket>;

// A connection that waits for news of a response looks after this time whether its client is still
// there.
constexpr std::chrono::milliseconds kWatch{50};
// How long and how much a connection that ends with an error still reads, so that the client gets
// to read the response.
constexpr double kLinger = 2;
constexpr std::size_t kLingerBytes = 1 << 20;

template <class Stream>
class Connection : public std::enable_shared_from_this<Connection<Stream>> {
 public:
  template <class... More>
  Connection(std::shared_ptr<HttpServer::State> state, tcp::socket socket, More&... more)
      : state_(std::move(state)),
        stream_(std::move(socket), more...),
        wake_(stream_.get_executor()),
        deadline_(stream_.get_executor()) {}

  // On any thread: whoever brings the last news of an exchange may hold the connection last.
  ~Connection() {
    if (listed_) state_->connections.remove(place_);
    if (!state_->stopping || state_->connections.size() > 0) return;
    net::post(state_->acceptor.get_executor(), [weak = std::weak_ptr(state_)] {
      if (const auto state = weak.lock()) state->grace.cancel();
    });
  }

  void start() {
    Failure ignored;
    socket().set_option(tcp::no_delay(true), ignored);
    const auto peer = socket().remote_endpoint(ignored);
    if (!ignored) client_ = peer.address().to_string();
    place_ = state_->connections.add([weak = this->weak_from_this()] {
      if (const auto self = weak.lock())
        net::post(self->stream_.get_executor(), [self] { self->close(); });
    });
    listed_ = true;
    net::co_spawn(
        stream_.get_executor(), [self = this->shared_from_this()] { return run(self); },
        net::detached);
  }

 private:
  using Parser = http::request_parser<http::string_body>;

  tcp::socket& socket() {
    if constexpr (std::is_same_v<Stream, TlsStream>) {
      return stream_.next_layer();
    } else {
      return stream_;
    }
  }

  // `self` keeps the connection as long as its coroutine. Here and below, co_await stands in
  // statements of its own: GCC 12 miscompiles some conditions with it.
  static net::awaitable<void> run(std::shared_ptr<Connection> self) {
    bool more = co_await self->shake_hands();
    while (more && !self->closed_) more = co_await self->serve_one();
    co_await self->part();
  }

  net::awaitable<bool> shake_hands() {
    if constexpr (std::is_same_v<Stream, TlsStream>) {
      Failure failure;
      set_deadline(state_->options.idle);
      co_await stream_.async_handshake(net::ssl::stream_base::server,
                                       net::redirect_error(net::use_awaitable, failure));
      deadline_.clear();
      co_return !failure;
    }
    co_return true;
  }

  // Reads one request and answers it. Returns whether another may follow.
  net::awaitable<bool> serve_one() {
    Parser parser;
    parser.header_limit(static_cast<std::uint32_t>(state_->options.max_header));
    parser.body_limit(state_->options.max_body);
    MemoryShare share(state_->bodies);
    state_->connections.set_idle(place_, true);
    if (state_->stopping) co_return false;
    HttpRequest request;
    const std::optional<HttpError> error = co_await read(parser, request, share);
    state_->connections.set_idle(place_, false);
    begun_ = std::chrono::steady_clock::now();
    if (closed_) co_return false;
    auto& message = parser.get();
    if (error) {
      lingers_ = true;
      share.give_back();
      const HttpResponse refusal = state_->handlers.refuse(request, *error);
      outcome_ = {.status = refusal.status, .bytes = refusal.body.size()};
      const bool head_only = request.method == "HEAD";
      co_await write_whole(refusal, head_only, false);
      finish(request);
      co_return false;
    }
    request.body = std::move(message.body());
    const bool head = request.method == "HEAD", chunks = message.version() >= 11;
    const bool may_follow = message.keep_alive() && chunks;
    const auto exchange = std::make_shared<Exchange>(std::move(request), state_->responses);
    outcome_ = {.status = 499};
    if (takes_long(exchange->request())) {
      // If the client goes, its request goes too, with the memory of its body.
      net::post(state_->long_requests, [state = state_, weak = std::weak_ptr(exchange)] {
        if (const auto waiting = weak.lock()) hand_on(state->handlers, waiting);
      });
    } else {
      hand_on(state_->handlers, exchange);
    }
    const bool more = co_await answer(*exchange, {head, may_follow, chunks});
    outcome_.key_name = exchange->signature();
    finish(exchange->request());
    co_return more;
  }

  void finish(const HttpRequest& request) {
    const std::chrono::duration<double> time = std::chrono::steady_clock::now() - begun_;
    outcome_.seconds = time.count();
    state_->handlers.finished(request, outcome_);
  }

  // Returns why the request cannot be read. A client that has gone, or sent nothing, closes the
  // connection.
  net::awaitable<std::optional<HttpError>> read(Parser& parser, HttpRequest& request,
                                                MemoryShare& share) {
    Failure failure;
    set_deadline(state_->options.idle);
    co_await skip_empty_lines(failure);
    if (!failure)
      co_await http::async_read_header(stream_, buffer_, parser,
                                       net::redirect_error(net::use_awaitable, failure));
    request = request_of(parser.get());
    request.client = client_;
    if (!failure) {
      const std::optional<HttpError> error = refusal_of(parser, request);
      if (error) co_return error;
      co_await invite_body(parser);
      set_deadline(state_->options.timeout);
    }
    BodyReader body(parser);
    while (!failure && !closed_ && !parser.is_done()) {
      body.take(buffer_, failure);
      if (!share.grow_to(parser.get().body().size()))
        co_return HttpError{503, "server busy: too much request data in flight; try again", 1};
      if (failure || parser.is_done()) break;
      const std::size_t more = co_await stream_.async_read_some(
          body.room(buffer_), net::redirect_error(net::use_awaitable, failure));
      buffer_.commit(more);
    }
    const bool late = deadline_.has_passed();
    deadline_.clear();
    if (late && parser.got_some()) co_return HttpError{408, "the request took too long"};
    // Errors of other categories are those of sockets and of TLS.
    const bool gone = failure == http::error::end_of_stream ||
                      failure == http::error::partial_message ||
                      failure.category() != Failure(http::error::bad_version).category();
    if (late || (failure && gone)) closed_ = true;
    if (failure && !closed_) co_return error_of(failure, state_->options, request.path.empty());
    co_return std::nullopt;
  }

  std::string_view received() const {
    const auto bytes = buffer_.cdata();
    return {static_cast<const char*>(bytes.data()), bytes.size()};
  }

  // Clients may send some after the body of the request before (RFC 9112, section 2.2).
  net::awaitable<void> skip_empty_lines(Failure& failure) {
    while (!failure) {
      const std::size_t begin = received().find_first_not_of("\r\n");
      buffer_.consume(std::min(begin, buffer_.size()));
      if (buffer_.size() > 0) co_return;
      const std::size_t more = co_await stream_.async_read_some(
          buffer_.prepare(4096), net::redirect_error(net::use_awaitable, failure));
      buffer_.commit(more);
    }
  }

  // Why the request is refused before its body is read.
  std::optional<HttpError> refusal_of(const Parser& parser, HttpRequest& request) const {
    std::optional<HttpError> error = misread(parser.get());
    if (error) return error;
    try {
      read_target(request);
    } catch (const HttpError& unreadable) {
      return unreadable;
    }
    const bool has_body = !parser.is_done();
    return has_body && state_->handlers.admit ? state_->handlers.admit(request) : std::nullopt;
  }

  // "Expect: 100-continue": curl asks before it sends a large body. Unless the body is there.
  net::awaitable<void> invite_body(const Parser& parser) {
    if (!invites(parser.get()) || parser.is_done() || buffer_.size() > 0) co_return;
    std::string invitation = "HTTP/1.1 100 Continue\r\n\r\n";
    co_await write_text(std::move(invitation));
  }

  static void hand_on(const HttpServer::Handlers& handlers,
                      const std::shared_ptr<Exchange>& exchange) {
    try {
      try {
        handlers.answer(exchange);
      } catch (const HttpError& error) {
        exchange->respond(handlers.refuse(exchange->request(), error));
      }
    } catch (...) {
      fail(handlers, *exchange);
    }
  }

  static void fail(const HttpServer::Handlers& handlers, Exchange& exchange) {
    try {
      exchange.respond(
          handlers.refuse(exchange.request(), {500, "the request could not be handled"}));
    } catch (...) {  // such as a lack of memory: the connection is closed
      exchange.abandon();
    }
  }

  // How a request wants its response.
  struct Manner {
    bool head_only, may_follow, chunks;
  };

  // Writes what the exchange brings until it is complete. Returns whether a request may follow. All
  // responses may take as much memory as all requests: there are clients that do not read.
  net::awaitable<bool> answer(Exchange& exchange, Manner manner) {
    const auto [head_only, may_follow, chunks] = manner;
    MemoryShare share(state_->responses);
    exchange.on_news([weak = this->weak_from_this(), &exchange] {
      const auto self = weak.lock();
      if (!self) return;
      // The client has stopped reading: close at once.
      net::post(self->stream_.get_executor(), [weak, is_stuck = exchange.is_abandoned()] {
        const auto still = weak.lock();
        if (still && is_stuck) still->close();
        if (still) still->wake_.cancel();
      });
    });
    int status = 0;
    bool keep_alive = may_follow;
    while (!closed_ && !exchange.is_abandoned()) {
      Exchange::News news = exchange.take();
      if (news.head) {
        status = news.head->status;
        keep_alive = may_follow && !state_->stopping;
        if (!news.in_pieces) {
          if (!share.grow_to(news.head->body.size()))
            news.head = state_->handlers.refuse(
                exchange.request(), {503, "the server is sending too much at once; try again", 1});
          outcome_ = {.status = news.head->status, .bytes = news.head->body.size()};
          co_await write_whole(*news.head, head_only, keep_alive);
          exchange.release();
          co_return keep_alive;  // unless the connection was closed, which the next read notices
        }
        news.more.insert(0, news.head->body);
        std::string head = response_head(*news.head, state_->options.fields,
                                         {.in_pieces = chunks, .keep_alive = keep_alive});
        const bool written = co_await write_text(std::move(head));
        if (!written) break;
      }
      outcome_.bytes += news.more.size();
      std::string piece = head_only ? std::string() : news.more;
      if (chunks && !piece.empty()) piece = fmt::format("{:x}\r\n{}\r\n", piece.size(), piece);
      if (chunks && news.complete && !head_only) piece += "0\r\n\r\n";
      if (!piece.empty()) {
        const bool written = co_await write_text(std::move(piece));
        if (!written) break;
      }
      if (news.complete) {
        outcome_.status = status;
        exchange.release();
        co_return keep_alive;
      }
      if (news.head || !news.more.empty()) continue;
      Failure woken;
      wake_.expires_after(kWatch);
      co_await wake_.async_wait(net::redirect_error(net::use_awaitable, woken));
      if (!woken && has_hung_up()) break;
    }
    exchange.abandon();
    closed_ = true;
    co_return false;
  }

  net::awaitable<bool> write_whole(const HttpResponse& response, bool head_only, bool keep_alive) {
    std::string text = response_head(response, state_->options.fields,
                                     {.in_pieces = false, .keep_alive = keep_alive});
    if (!head_only) text += response.body;
    co_return co_await write_text(std::move(text));
  }

  net::awaitable<bool> write_text(std::string text) {
    Failure failure;
    set_deadline(state_->options.timeout);
    co_await net::async_write(stream_, net::buffer(text),
                              net::redirect_error(net::use_awaitable, failure));
    deadline_.clear();
    if (failure) closed_ = true;
    co_return !failure;
  }

  // The end of a connection. One that ends because of an error first reads a little of what the
  // client is still sending: closing at once would reset the connection, and the client would lose
  // the response.
  net::awaitable<void> part() {
    Failure failure;
    if (!closed_) {
      if constexpr (std::is_same_v<Stream, TlsStream>) {
        set_deadline(kLinger);
        co_await stream_.async_shutdown(net::redirect_error(net::use_awaitable, failure));
        deadline_.clear();
      }
      socket().shutdown(tcp::socket::shutdown_send, failure);
    }
    if (!closed_ && lingers_) {
      std::vector<char> ignored(16 << 10);
      set_deadline(kLinger);
      for (std::size_t bytes = 0; bytes < kLingerBytes && !deadline_.has_passed() && !failure;) {
        const std::size_t more = co_await socket().async_read_some(
            net::buffer(ignored), net::redirect_error(net::use_awaitable, failure));
        bytes += more;
      }
      deadline_.clear();
    }
    close();
  }

  // The peer has closed its side. Asks the kernel, as data may wait before the end of the stream.
  bool has_hung_up() {
    tcp_info info{};
    socklen_t size = sizeof info;
    if (getsockopt(socket().native_handle(), IPPROTO_TCP, TCP_INFO, &info, &size) != 0) return true;
    return info.tcpi_state == TCP_CLOSE_WAIT || info.tcpi_state == TCP_CLOSE;
  }

  void close() {
    closed_ = true;
    Failure ignored;
    socket().close(ignored);
    wake_.cancel();
  }

  void set_deadline(double seconds) { deadline_.set(seconds, socket(), this->shared_from_this()); }

  std::shared_ptr<HttpServer::State> state_;
  Stream stream_;
  net::steady_timer wake_;
  Deadline deadline_;
  boost::beast::flat_buffer buffer_{128 << 10};
  std::string client_;
  ConnectionList::Place place_;
  bool listed_ = false, closed_ = false, lingers_ = false;
  std::chrono::steady_clock::time_point begun_;  // the end of the last request
  HttpOutcome outcome_;
};

}  // namespace

void start_connection(std::shared_ptr<HttpServer::State> state, tcp::socket socket) {
  if (state->tls) {
    net::ssl::context& tls = *state->tls;
    std::make_shared<Connection<TlsStream>>(std::move(state), std::move(socket), tls)->start();
  } else {
    std::make_shared<Connection<tcp::socket>>(std::move(state), std::move(socket))->start();
  }
}

}  // namespace attend
