// Made-up pairs for the tests of what is on disk.
#pragma once

#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include "attend/backend/bytes.h"
#include "data/ids.h"

namespace attend {

// Pair i: a source of i % 5 + 1 ids and a target of i % 3 + 1, all of them 100 + i.
inline TokenIds source_of(int i) { return TokenIds(static_cast<std::size_t>(i % 5 + 1), 100 + i); }
inline TokenIds target_of(int i) { return TokenIds(static_cast<std::size_t>(i % 3 + 1), 100 + i); }

// Of the bytes of a shard from `begin` on.
inline std::uint32_t checksum_of_index(const std::filesystem::path& shard, std::int64_t begin) {
  std::ifstream stream(shard, std::ios::binary);
  const std::string bytes{std::istreambuf_iterator<char>(stream), {}};
  return crc32_of(std::as_bytes(std::span(bytes)).subspan(static_cast<std::size_t>(begin)));
}

}  // namespace attend
