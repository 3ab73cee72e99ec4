// Who may use a server: keys with limits, from a file.
#pragma once

#include <chrono>
#include <filesystem>
#include <map>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

namespace attend {

// A line of the file: the key, then settings.
//
//   # for the web site
//   3f9a0c7e1d  name=site requests=120
//   77b01e55aa  name=me admin
struct ApiKey {
  std::string key;
  std::string name;     // in the log; empty: none
  double requests = 0;  // most per minute; 0: any number
  bool admin = false;   // may load and drop models
};

// Throws IoError, or DataError with file and line.
std::vector<ApiKey> read_api_keys(const std::filesystem::path& path);

// Checks keys and counts requests. All functions may be called from any thread.
class Access {
 public:
  Access() = default;  // everyone may do everything but load and drop models
  explicit Access(std::vector<ApiKey> keys) { replace(std::move(keys)); }

  // Replaces the keys. Counts of keys that stay go on.
  void replace(std::vector<ApiKey> keys);
  bool has_keys() const;

  // The name of the key, for the log. Throws HttpError: 401 without a key, 403 for a wrong one or
  // one that may not `administrate`, 429 for too many requests.
  std::string enter(std::string_view key, bool administrate,
                    std::chrono::steady_clock::time_point now = std::chrono::steady_clock::now());

 private:
  // Requests that may be sent at once; they come back with time.
  struct Bucket {
    double left = 0;
    std::chrono::steady_clock::time_point since;
  };

  mutable std::mutex mutex_;
  std::vector<ApiKey> keys_;
  std::map<std::string, Bucket> buckets_;
};

}  // namespace attend
