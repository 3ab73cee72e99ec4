// Included first in the sources of SentencePiece that start threads: pages have none, so the work of each is done when it is made.
#pragma once
#include <condition_variable>
#include <future>
#include <mutex>
#include <thread>

namespace std {

class thread_at_once {
 public:
  template <class Work>
  explicit thread_at_once(const Work& work) {
    work();
  }
  void join() {}
};

}  // namespace std
#define thread thread_at_once
