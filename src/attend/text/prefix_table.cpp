#include "attend/text/prefix_table.h"

#include <algorithm>

namespace attend::detail {
namespace {

unsigned byte_of_entry(const std::pair<std::string, std::int32_t>& entry, std::size_t at) {
  return static_cast<unsigned char>(entry.first[at]);
}

}  // namespace

PrefixTable::PrefixTable(std::vector<std::pair<std::string, std::int32_t>> entries)
    : entries_(std::move(entries)) {
  std::sort(entries_.begin(), entries_.end());
  std::size_t at = 0;
  for (unsigned byte = 0; byte < 256; ++byte) {
    begins_[byte] = at;
    while (at < entries_.size() && byte_of_entry(entries_[at], 0) == byte) ++at;
  }
  begins_[256] = at;
}

// All entries from `low` to `high` begin with the first `length` bytes of the text; the one that
// has no more bytes is the first of them.
PrefixTable::Match PrefixTable::longest(std::string_view text) const {
  Match match;
  if (text.empty()) return match;
  const auto first = static_cast<unsigned char>(text.front());
  auto low = entries_.begin() + static_cast<std::ptrdiff_t>(begins_[first]);
  auto high = entries_.begin() + static_cast<std::ptrdiff_t>(begins_[first + 1u]);
  for (std::size_t length = 1; low != high; ++length) {
    if (low->first.size() == length) {
      match = {low->second, length};
      ++low;
    }
    if (length == text.size()) break;
    const auto byte = static_cast<unsigned char>(text[length]);
    low = std::partition_point(
        low, high, [&](const auto& entry) { return byte_of_entry(entry, length) < byte; });
    high = std::partition_point(
        low, high, [&](const auto& entry) { return byte_of_entry(entry, length) == byte; });
  }
  return match;
}

}  // namespace attend::detail
