// Files that were made for clients to fetch: few, small, and for minutes.
#pragma once

#include <chrono>
#include <cstddef>
#include <deque>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>

namespace attend {

struct Download {
  std::string name;  // "4f0c...e1.docx": cannot be guessed
  std::string type;
  std::string content;
};

// All functions may be called from any thread.
class Downloads {
 public:
  // `most`: bytes of all files; the oldest make room.
  explicit Downloads(std::size_t most = 64 << 20) : most_(most) {}

  using Time = std::chrono::steady_clock::time_point;
  // Keeps a file for ten minutes; returns its name, which ends with `extension`.
  std::string add(std::string content, std::string type, std::string_view extension,
                  Time now = std::chrono::steady_clock::now());
  std::optional<Download> find(std::string_view name, Time now = std::chrono::steady_clock::now());

 private:
  struct Kept {
    Download file;
    Time until;
  };
  void drop_old(Time now);

  const std::size_t most_;
  std::mutex mutex_;
  std::deque<Kept> kept_;
  std::size_t bytes_ = 0;
};

}  // namespace attend
