#include "attend/server/http/exchange.h"

#include <utility>

namespace attend {

void Exchange::respond(HttpResponse response) {
  {
    const std::lock_guard lock(mutex_);
    if (answered_) return;
    answered_ = complete_ = true;
    head_ = std::move(response);
  }
  notify();
}

void Exchange::begin(HttpResponse head) {
  {
    const std::lock_guard lock(mutex_);
    if (answered_) return;
    answered_ = in_pieces_ = true;
    head_ = std::move(head);
  }
  notify();
}

// Who writes may hold a lock that the call for a hang-up needs: the connection makes that call.
void Exchange::write(std::string_view piece) {
  {
    const std::lock_guard lock(mutex_);
    if (!in_pieces_ || complete_ || abandoned_) return;
    abandoned_ = pieces_.size() + piece.size() > kMostPending;
    if (!abandoned_) pieces_ += piece;
    if (!count_pieces()) abandoned_ = true;
  }
  notify();
}

void Exchange::end() {
  {
    const std::lock_guard lock(mutex_);
    if (!in_pieces_) return;
    complete_ = true;
  }
  notify();
}

void Exchange::on_hang_up(std::function<void()> call) {
  {
    const std::lock_guard lock(mutex_);
    if (!abandoned_ && !expired_) {
      if (!released_) hang_up_ = std::move(call);
      return;
    }
  }
  call();
}

void Exchange::expire() {
  std::function<void()> call;
  {
    const std::lock_guard lock(mutex_);
    if (complete_ || abandoned_ || released_) return;
    expired_ = true;
    call = std::exchange(hang_up_, nullptr);
  }
  if (call) call();
}

bool Exchange::is_expired() const {
  const std::lock_guard lock(mutex_);
  return expired_;
}

void Exchange::sign(std::string name) {
  const std::lock_guard lock(mutex_);
  signature_ = std::move(name);
}

std::string Exchange::signature() const {
  const std::lock_guard lock(mutex_);
  return signature_;
}

bool Exchange::is_abandoned() const {
  const std::lock_guard lock(mutex_);
  return abandoned_;
}

Exchange::News Exchange::take() {
  const std::lock_guard lock(mutex_);
  in_flight_ = pieces_.size();
  News news{std::exchange(head_, std::nullopt), std::exchange(pieces_, {}), in_pieces_, complete_};
  count_pieces();
  return news;
}

void Exchange::on_news(std::function<void()> wake) {
  const std::lock_guard lock(mutex_);
  wake_ = std::move(wake);
}

void Exchange::abandon() {
  std::function<void()> call;
  {
    const std::lock_guard lock(mutex_);
    abandoned_ = true;
    forget_pieces();
    call = std::exchange(hang_up_, nullptr);
    wake_ = nullptr;
  }
  if (call) call();
}

void Exchange::release() {
  std::function<void()> wake, hang_up;  // destroyed without the mutex
  const std::lock_guard lock(mutex_);
  released_ = true;
  forget_pieces();
  wake.swap(wake_);
  hang_up.swap(hang_up_);
}

void Exchange::forget_pieces() {
  pieces_ = {};
  in_flight_ = 0;
  count_pieces();
}

// The callback is copied: it must be able to outlive a connection that abandons the exchange
// meanwhile, and must not run with the mutex locked.
void Exchange::notify() {
  std::function<void()> wake;
  {
    const std::lock_guard lock(mutex_);
    wake = wake_;
  }
  if (wake) wake();
}

}  // namespace attend
