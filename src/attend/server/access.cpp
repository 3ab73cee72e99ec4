#include "attend/server/access.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <set>

#include "attend/core/lines.h"
#include "attend/core/quote.h"
#include "attend/error.h"
#include "attend/server/http/message.h"

namespace attend {
namespace {

constexpr std::size_t kShortestKey = 8;

// Takes as long for any key of this length.
bool are_equal(std::string_view a, std::string_view b) {
  if (a.size() != b.size()) return false;
  unsigned difference = 0;
  for (std::size_t i = 0; i < a.size(); ++i)
    difference |=
        static_cast<unsigned>(static_cast<unsigned char>(a[i]) ^ static_cast<unsigned char>(b[i]));
  return difference == 0;
}

std::vector<std::string_view> words_in(std::string_view line) {
  std::vector<std::string_view> words;
  while (true) {
    const std::size_t begin = line.find_first_not_of(" \t");
    if (begin == line.npos) return words;
    line.remove_prefix(begin);
    const std::size_t end = std::min(line.find_first_of(" \t"), line.size());
    words.push_back(line.substr(0, end));
    line.remove_prefix(end);
  }
}

void apply_setting(ApiKey& key, std::string_view setting, const std::string& where) {
  if (setting == "admin") {
    key.admin = true;
  } else if (setting.starts_with("name=")) {
    key.name = setting.substr(5);
  } else if (setting.starts_with("requests=")) {
    const std::string_view number = setting.substr(9);
    const char* const end = number.data() + number.size();
    const auto parsed = std::from_chars(number.data(), end, key.requests);
    if (parsed.ec != std::errc() || parsed.ptr != end || !(key.requests > 0 && key.requests <= 1e9))
      throw DataError(fmt::format("{}: requests: expected a number above 0 up to 1e9, got {}",
                                  where, quote(number)));
  } else {
    throw DataError(fmt::format("{}: expected name=NAME, requests=NUMBER or admin, got {}", where,
                                quote(setting)));
  }
}

}  // namespace

std::vector<ApiKey> read_api_keys(const std::filesystem::path& path) {
  LineReader lines(path.string());
  std::vector<ApiKey> keys;
  std::set<std::string> known;
  for (std::string line; lines.next(line);) {
    const std::vector<std::string_view> words = words_in(line);
    if (words.empty() || words.front().starts_with('#')) continue;
    ApiKey key;
    key.key = words.front();
    if (key.key.size() < kShortestKey)
      throw DataError(fmt::format("{}: expected a key of {} characters at least, got {}",
                                  lines.where(), kShortestKey, key.key.size()));
    if (!known.insert(key.key).second)
      throw DataError(fmt::format("{}: the key is there twice", lines.where()));
    for (std::size_t i = 1; i < words.size(); ++i) apply_setting(key, words[i], lines.where());
    keys.push_back(std::move(key));
  }
  if (keys.empty()) throw DataError(fmt::format("{}: expected a key at least", path.string()));
  return keys;
}

void Access::replace(std::vector<ApiKey> keys) {
  const std::lock_guard lock(mutex_);
  keys_ = std::move(keys);
}

bool Access::has_keys() const {
  const std::lock_guard lock(mutex_);
  return !keys_.empty();
}

std::string Access::enter(std::string_view key, bool administrate,
                          std::chrono::steady_clock::time_point now) {
  const std::lock_guard lock(mutex_);
  if (keys_.empty()) {
    if (!administrate) return {};
    throw HttpError{403,
                    "models are loaded and dropped with a key of an administrator; the server "
                    "was started without --api-key"};
  }
  if (key.empty()) throw HttpError{401, "expected an API key: Authorization: Bearer KEY"};
  const ApiKey* found = nullptr;
  for (const ApiKey& one : keys_)
    if (are_equal(one.key, key)) found = &one;
  if (found == nullptr) throw HttpError{403, "the API key is not known"};
  if (administrate && !found->admin)
    throw HttpError{403, "the API key is not that of an administrator"};
  if (found->requests == 0) return found->name;
  // At least one at once, also for less than one per minute.
  const double most = std::max(1.0, found->requests), rate = found->requests / 60;
  const auto [place, is_new] = buckets_.try_emplace(found->key, Bucket{most, now});
  Bucket& bucket = place->second;
  bucket.left = std::min(
      most, bucket.left + rate * std::chrono::duration<double>(now - bucket.since).count());
  bucket.since = now;
  if (bucket.left < 1)
    throw HttpError{429, fmt::format("more than {} requests per minute", found->requests),
                    static_cast<int>(std::ceil((1 - bucket.left) / rate))};
  bucket.left -= 1;
  return found->name;
}

}  // namespace attend
