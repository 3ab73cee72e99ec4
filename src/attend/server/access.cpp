#include "attend/server/access.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <set>

#include "attend/core/files/lines.h"
#include "attend/core/strings/quote.h"
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

// The number of "requests=120".
double limit_of(std::string_view setting, const std::string& where) {
  const std::size_t equals = setting.find('=');
  const std::string_view number = setting.substr(equals + 1);
  const char* const end = number.data() + number.size();
  double limit = 0;
  const auto parsed = std::from_chars(number.data(), end, limit);
  if (parsed.ec != std::errc() || parsed.ptr != end || !(limit > 0 && limit <= 1e9))
    throw DataError(fmt::format("{}: {}: expected a number above 0 up to 1e9, got {}", where,
                                setting.substr(0, equals), quote(number)));
  return limit;
}

void apply_setting(ApiKey& key, std::string_view setting, const std::string& where) {
  if (setting == "admin") {
    key.admin = true;
  } else if (setting.starts_with("name=")) {
    key.name = setting.substr(5);
  } else if (setting.starts_with("requests=")) {
    key.requests = limit_of(setting, where);
  } else if (setting.starts_with("tokens=")) {
    key.tokens = limit_of(setting, where);
  } else {
    throw DataError(
        fmt::format("{}: expected name=NAME, requests=NUMBER, tokens=NUMBER or admin, got {}",
                    where, quote(setting)));
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
      throw DataError(fmt::format("{}: expected a key of at least {} characters, got {}",
                                  lines.where(), kShortestKey, key.key.size()));
    if (!known.insert(key.key).second)
      throw DataError(fmt::format("{}: the key appears twice", lines.where()));
    for (std::size_t i = 1; i < words.size(); ++i) apply_setting(key, words[i], lines.where());
    keys.push_back(std::move(key));
  }
  if (keys.empty()) throw DataError(fmt::format("{}: expected at least one key", path.string()));
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

void Access::Bucket::refill(double per_minute, Time now) {
  // At least one at once, also for less than one per minute.
  const double seconds = std::chrono::duration<double>(now - since).count();
  left = std::min(std::max(1.0, per_minute), left + per_minute / 60 * seconds);
  since = now;
}

void Access::Bucket::require(double wanted, double per_minute, std::string_view what) const {
  if (left >= wanted) return;
  throw HttpError{429, fmt::format("more than {} {} per minute", per_minute, what),
                  static_cast<int>(std::min(1e6, std::ceil((wanted - left) * 60 / per_minute)))};
}

const ApiKey* Access::find(std::string_view key) const {
  const ApiKey* found = nullptr;
  for (const ApiKey& one : keys_)
    if (are_equal(one.key, key)) found = &one;
  return found;
}

Access::Buckets& Access::buckets_of(const ApiKey& key, Time now) {
  const auto [place, is_new] = buckets_.try_emplace(key.key);
  Buckets& buckets = place->second;
  if (is_new) buckets = {{std::max(1.0, key.requests), now}, {std::max(1.0, key.tokens), now}};
  buckets.requests.refill(key.requests, now);
  buckets.tokens.refill(key.tokens, now);
  return buckets;
}

const ApiKey* Access::checked(std::string_view key, bool administrate) const {
  if (keys_.empty()) {
    if (!administrate) return nullptr;
    throw HttpError{403,
                    "loading and dropping models needs a key with admin rights; the server was "
                    "started without --api-key"};
  }
  if (key.empty()) throw HttpError{401, "expected an API key: Authorization: Bearer KEY"};
  const ApiKey* const found = find(key);
  if (found == nullptr) throw HttpError{403, "the API key is not known"};
  if (administrate && !found->admin) throw HttpError{403, "the API key has no admin rights"};
  return found;
}

void Access::check(std::string_view key, bool administrate) const {
  const std::lock_guard lock(mutex_);
  checked(key, administrate);
}

std::string Access::enter(std::string_view key, bool administrate, Time now) {
  const std::lock_guard lock(mutex_);
  const ApiKey* const found = checked(key, administrate);
  if (found == nullptr) return {};
  Buckets& buckets = buckets_of(*found, now);
  if (found->tokens > 0) buckets.tokens.require(1, found->tokens, "tokens");
  if (found->requests > 0) {
    buckets.requests.require(1, found->requests, "requests");
    buckets.requests.left -= 1;
  }
  return found->name;
}

void Access::spend(std::string_view key, std::int64_t tokens, Time now) {
  const std::lock_guard lock(mutex_);
  const ApiKey* const found = find(key);
  if (found == nullptr || found->tokens == 0) return;
  buckets_of(*found, now).tokens.left -= static_cast<double>(tokens);
}

}  // namespace attend
