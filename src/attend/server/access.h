// Who may use a server: keys with limits, from a file.
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <mutex>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace attend {

// A line of the file: the key, then settings.
//
//   # for the web site
//   3f9a0c7e1d  name=site requests=120 tokens=50000
//   77b01e55aa  name=me admin
struct ApiKey {
  std::string key;
  std::string name;     // in the log; empty: none
  double requests = 0;  // most per minute; 0: any number
  double tokens = 0;    // read and written, the same
  bool admin = false;   // may load and drop models
};

// Throws IoError, or DataError with file and line.
std::vector<ApiKey> read_api_keys(const std::filesystem::path& path);

// Receives the tokens of a client's request that were read or written, as they become known; from
// any thread.
class Spend {
 public:
  // `client`: empty if there are no keys.
  Spend(std::string client, std::function<void(std::int64_t tokens)> count)
      : client_(std::move(client)), count_(std::move(count)) {}
  void operator()(std::int64_t tokens) const { count_(tokens); }
  const std::string& client() const { return client_; }

 private:
  std::string client_;
  std::function<void(std::int64_t)> count_;
};

// Checks keys and counts requests. All functions may be called from any thread.
class Access {
 public:
  Access() = default;  // everyone may do everything but load and drop models
  explicit Access(std::vector<ApiKey> keys) { replace(std::move(keys)); }

  // Replaces the keys. Keys that stay keep their counts.
  void replace(std::vector<ApiKey> keys);
  bool has_keys() const;

  // Throws HttpError: 401 without a key, 403 for a wrong one or one that may not `administrate`.
  void check(std::string_view key, bool administrate) const;
  // Counts a request. Returns the name of the key, for the log. Throws as check() does, and
  // HttpError 429 for too many requests or tokens.
  using Time = std::chrono::steady_clock::time_point;
  std::string enter(std::string_view key, bool administrate,
                    Time now = std::chrono::steady_clock::now());
  // The requests of the key have read or written these tokens. How many they will be is not known
  // before: the key may get into debt, and gets nothing until it is paid.
  void spend(std::string_view key, std::int64_t tokens,
             Time now = std::chrono::steady_clock::now());

 private:
  // What may be taken at once. It comes back with time.
  struct Bucket {
    double left = 0;
    Time since;

    void refill(double per_minute, Time now);
    // Throws HttpError 429 unless there are `wanted`.
    void require(double wanted, double per_minute, std::string_view what) const;
  };
  struct Buckets {
    Bucket requests, tokens;
  };

  // With the mutex locked. nullptr: there are no keys, and none is needed. Throws as check() does.
  const ApiKey* checked(std::string_view key, bool administrate) const;
  // nullptr: no such key.
  const ApiKey* find(std::string_view key) const;
  Buckets& buckets_of(const ApiKey& key, Time now);

  mutable std::mutex mutex_;
  std::vector<ApiKey> keys_;
  std::map<std::string, Buckets> buckets_;
};

}  // namespace attend
