// Threads in the place of processes.
#pragma once

#include <chrono>
#include <condition_variable>
#include <deque>
#include <exception>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <thread>
#include <utility>
#include <vector>

#include "attend/collective/collective.h"
#include "attend/error.h"

namespace attend {

// The messages between them. Each pair has a queue in each direction.
class ThreadMessages {
 public:
  using Bytes = std::vector<std::byte>;

  void send(int from, int to, std::span<const std::byte> bytes) {
    const std::lock_guard lock(mutex_);
    queues_[{from, to}].emplace_back(bytes.begin(), bytes.end());
    changed_.notify_all();
  }
  void receive(int from, int to, std::span<std::byte> bytes) {
    std::unique_lock lock(mutex_);
    std::deque<Bytes>& queue = queues_[{from, to}];
    changed_.wait(lock, [&] { return !queue.empty() || ended_.contains(from); });
    if (queue.empty()) throw IoError("a process has ended that another waits for");
    if (queue.front().size() != bytes.size()) throw DataError("lengths differ");
    std::copy(queue.front().begin(), queue.front().end(), bytes.begin());
    queue.pop_front();
  }
  // Nobody waits any longer for this process.
  void end(int rank) {
    const std::lock_guard lock(mutex_);
    ended_.insert(rank);
    changed_.notify_all();
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  std::map<std::pair<int, int>, std::deque<Bytes>> queues_;
  std::set<int> ended_;
};

class ThreadProcess final : public Collective {
 public:
  ThreadProcess(std::shared_ptr<ThreadMessages> messages, int rank, int size)
      : messages_(std::move(messages)), rank_(rank), size_(size) {}

  int rank() const override { return rank_; }
  int size() const override { return size_; }
  void exchange(int partner, std::span<const std::byte> sent,
                std::span<std::byte> received) override {
    bytes_sent += sent.size();
    messages_->send(rank_, partner, sent);
    messages_->receive(partner, rank_, received);
  }
  void gather(std::span<const std::byte> mine, std::span<std::byte> all) override {
    for (int other = 0; other < size_; ++other) messages_->send(rank_, other, mine);
    for (int other = 0; other < size_; ++other)
      messages_->receive(other, rank_,
                         all.subspan(static_cast<std::size_t>(other) * mine.size(), mine.size()));
  }
  void broadcast(std::span<std::byte> bytes) override {
    if (rank_ == 0)
      for (int other = 0; other < size_; ++other) messages_->send(0, other, bytes);
    messages_->receive(0, rank_, bytes);
  }
  void finish() override {}

  std::size_t bytes_sent = 0;  // by exchange()

 private:
  std::shared_ptr<ThreadMessages> messages_;
  int rank_, size_;
};

// The same, for which a byte takes its time: exchange() sleeps as long as a wire would need for
// what is sent.
class SlowProcess final : public Collective {
 public:
  SlowProcess(Collective& process, double bytes_per_second)
      : process_(process), bytes_per_second_(bytes_per_second) {}

  int rank() const override { return process_.rank(); }
  int size() const override { return process_.size(); }
  void exchange(int partner, std::span<const std::byte> sent,
                std::span<std::byte> received) override {
    std::this_thread::sleep_for(
        std::chrono::duration<double>(static_cast<double>(sent.size()) / bytes_per_second_));
    process_.exchange(partner, sent, received);
  }
  void gather(std::span<const std::byte> mine, std::span<std::byte> all) override {
    process_.gather(mine, all);
  }
  void broadcast(std::span<std::byte> bytes) override { process_.broadcast(bytes); }
  void finish() override { process_.finish(); }

 private:
  Collective& process_;
  double bytes_per_second_;
};

// Runs work(process) for each of `size` processes at the same time. Rethrows what the first of them
// threw that failed.
inline void in_processes(int size,
                         const std::function<void(const std::shared_ptr<ThreadProcess>&)>& work) {
  const auto messages = std::make_shared<ThreadMessages>();
  std::mutex mutex;
  std::exception_ptr failure;
  std::vector<std::thread> threads;
  for (int rank = 0; rank < size; ++rank) {
    threads.emplace_back([&, rank] {
      try {
        work(std::make_shared<ThreadProcess>(messages, rank, size));
      } catch (...) {
        const std::lock_guard lock(mutex);
        if (!failure) failure = std::current_exception();
      }
      messages->end(rank);
    });
  }
  for (std::thread& thread : threads) thread.join();
  if (failure) std::rethrow_exception(failure);
}

}  // namespace attend
