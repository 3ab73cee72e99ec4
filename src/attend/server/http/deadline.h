// The time that a connection has for what it waits for.
#pragma once

#include <memory>
#include <utility>

#include "attend/server/http/server_state.h"

namespace attend {

// Used on the executor of its socket only.
class Deadline {
 public:
  explicit Deadline(const tcp::socket::executor_type& executor) : timer_(executor) {}

  // After these seconds, cancels whatever waits for the socket, again and again until clear(): an
  // operation of several steps may be between two of them. `owner` keeps this object and the socket
  // meanwhile.
  void set(double seconds, tcp::socket& socket, std::shared_ptr<void> owner) {
    passed_ = false;
    watch(duration_of(seconds), ++number_, socket, std::move(owner));
  }
  void clear() {
    ++number_;
    timer_.cancel();
  }
  bool has_passed() const { return passed_; }

 private:
  void watch(std::chrono::nanoseconds time, int number, tcp::socket& socket,
             std::shared_ptr<void> owner) {
    timer_.expires_after(time);
    timer_.async_wait([this, number, &socket, owner](const boost::system::error_code& failure) {
      if (failure || number != number_) return;
      passed_ = true;
      boost::system::error_code ignored;
      socket.cancel(ignored);
      watch(std::chrono::milliseconds(100), number, socket, owner);
    });
  }

  net::steady_timer timer_;
  int number_ = 0;
  bool passed_ = false;
};

}  // namespace attend
