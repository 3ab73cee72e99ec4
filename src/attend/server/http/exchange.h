// One request and its response, which may come later, from any thread, whole or in pieces.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>

#include "attend/server/http/memory_share.h"
#include "attend/server/http/message.h"

namespace attend {

// Shared by the connection, which writes what arrives here, and by whoever answers. All functions
// may be called from any thread.
class Exchange {
 public:
  // `budget`: of the pieces that wait to be sent, of all exchanges together. Null: only that of
  // each.
  explicit Exchange(HttpRequest request, std::shared_ptr<MemoryBudget> budget = nullptr)
      : request_(std::move(request)) {
    if (budget) share_.emplace(std::move(budget));
  }
  Exchange(const Exchange&) = delete;
  Exchange& operator=(const Exchange&) = delete;

  const HttpRequest& request() const { return request_; }

  // The whole response. Only the first response counts.
  void respond(HttpResponse response);
  // Bytes of pieces that may wait for a client to read them. The exchange with one that does not
  // read is abandoned, and so is one whose piece is too much beside those of all others.
  static constexpr std::size_t kMostPending = 4 << 20;
  // A response in pieces: its head and the first piece, more pieces, the end.
  void begin(HttpResponse head);
  void write(std::string_view piece);
  void end();

  // The name of who sends the request, for HttpOutcome.
  void sign(std::string name);

  // `call` is called once when the client has gone before the end of the response, or the request
  // expires; at once if that has happened already. There is one such call, the last one set.
  void on_hang_up(std::function<void()> call);
  bool is_abandoned() const;

  // The request has taken too long: what computes for it is cancelled as if the client had gone,
  // which still gets a response.
  void expire();
  bool is_expired() const;

  // For the connection.

  // What has arrived since the last call.
  struct News {
    std::optional<HttpResponse> head;
    std::string more;  // pieces after the head
    bool in_pieces = false;
    bool complete = false;  // nothing follows
  };
  News take();
  // `wake` is called whenever there is news.
  void on_news(std::function<void()> wake);
  std::string signature() const;
  // The client has gone, or nobody waits for the response.
  void abandon();
  // The response has been written: nothing is called any more.
  void release();

 private:
  void notify();
  void forget_pieces();
  // With the mutex locked. Returns false if the pieces of all exchanges are too many.
  bool count_pieces() { return !share_ || share_->set_to(in_flight_ + pieces_.size()); }

  const HttpRequest request_;
  mutable std::mutex mutex_;
  std::optional<HttpResponse> head_;
  std::string pieces_;
  std::size_t in_flight_ = 0;         // bytes of the pieces that the connection took last
  std::optional<MemoryShare> share_;  // of the pieces
  std::string signature_;
  bool answered_ = false, in_pieces_ = false, complete_ = false, abandoned_ = false,
       expired_ = false, released_ = false;
  std::function<void()> wake_, hang_up_;
};

}  // namespace attend
