// SipHash-2-4 (Aumasson & Bernstein 2012): a 64-bit hash that looks random to whoever does not know
// its key.
#pragma once

#include <cstdint>
#include <string_view>

namespace attend {

struct HashKey {
  std::uint64_t first = 0, second = 0;
};

std::uint64_t keyed_hash(std::string_view bytes, const HashKey& key);

}  // namespace attend
