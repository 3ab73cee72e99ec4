// Files that were made for clients to fetch: few, small, and for minutes.
#pragma once

#include <chrono>
#include <cstddef>
#include <deque>
#include <filesystem>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>

namespace attend {

struct Download {
  std::string name;  // "4f0c...e1.docx": cannot be guessed
  std::string content;
};

// In memory; or in a folder, from which every server that shares it sends them. All functions may
// be called from any thread.
class Downloads {
 public:
  // Bytes of all files; the oldest make room.
  static constexpr std::size_t kMost = 64 << 20;

  // `folder`: made if it is missing; empty: none. Throws IoError if it cannot be written.
  explicit Downloads(std::filesystem::path folder = {}, std::size_t most = kMost);

  // The files of a folder are as old as this clock says.
  using Time = std::chrono::system_clock::time_point;
  // Keeps a file for ten minutes; returns its name, which ends with `extension`. Throws IoError.
  std::string add(std::string content, std::string_view extension,
                  Time now = std::chrono::system_clock::now());
  std::optional<Download> find(std::string_view name, Time now = std::chrono::system_clock::now());

 private:
  struct Kept {
    Download file;
    Time until;
  };
  void drop_old(Time now);
  // Drops the files of the folder that have expired, and the oldest if all are too large.
  void drop_old_files(Time now) const;

  const std::filesystem::path folder_;
  const std::size_t most_;
  std::mutex mutex_;
  std::deque<Kept> kept_;
  std::size_t bytes_ = 0;
};

}  // namespace attend
