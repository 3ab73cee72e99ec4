#include "attend/data/filter/seen_lines.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string>

#include "attend/core/options/option_error.h"
#include "attend/core/random/keyed_hash.h"
#include "attend/core/strings/counted.h"
#include "attend/error.h"

namespace attend {
namespace {

// Any constants: with the same key, a run repeats.
constexpr HashKey kKey{0x61747465'6e642066U, 0x696c7465'72206b79U};
constexpr std::size_t kFirstSlots = 16;

// Precondition of both functions: a slot is free.
void place(std::vector<std::uint64_t>& slots, std::uint64_t hash) {
  const std::size_t mask = slots.size() - 1;
  std::size_t at = hash & mask;
  while (slots[at] != 0) at = (at + 1) & mask;
  slots[at] = hash;
}

bool has(const std::vector<std::uint64_t>& slots, std::uint64_t hash) {
  const std::size_t mask = slots.size() - 1;
  std::size_t at = hash & mask;
  while (slots[at] != 0 && slots[at] != hash) at = (at + 1) & mask;
  return slots[at] == hash;
}

}  // namespace

std::uint64_t SeenLines::hash(std::string_view line) { return keyed_hash(line, kKey); }

// No line has a line break.
std::uint64_t SeenLines::hash(std::string_view src, std::string_view tgt) {
  std::string pair(src);
  pair += '\n';
  pair += tgt;
  return keyed_hash(pair, kKey);
}

bool SeenLines::contains(std::uint64_t hash) const {
  hash = std::max<std::uint64_t>(hash, 1);  // 0 is a free slot
  const Part& part = parts_[hash >> (64 - kPartBits)];
  return !part.slots.empty() && has(part.slots, hash);
}

void SeenLines::insert(std::uint64_t hash) {
  if (contains(hash)) return;
  hash = std::max<std::uint64_t>(hash, 1);
  Part& part = parts_[hash >> (64 - kPartBits)];
  if (5 * (part.used + 1) > 4 * part.slots.size()) grow(part);
  place(part.slots, hash);
  ++part.used;
  ++lines_;
}

void SeenLines::grow(Part& part) {
  const std::size_t size = std::max(kFirstSlots, 2 * part.slots.size());
  const auto more = static_cast<std::int64_t>((size - part.slots.size()) * sizeof(std::uint64_t));
  if (bytes_ + more > most_bytes_)
    throw OptionError<DataError>(
        "expected at most {} bytes for the hashes of lines seen ({}), needed more for {}; allow "
        "more, or filter parts of the text",
        readable_count(most_bytes_), as_flag("unique-memory"),
        counted(lines_ + 1, "different line"));
  std::vector<std::uint64_t> slots(size, 0);
  for (const std::uint64_t hash : part.slots)
    if (hash != 0) place(slots, hash);
  part.slots.swap(slots);
  bytes_ += more;
}

double SeenLines::collision_probability() const {
  const auto n = static_cast<double>(lines_);
  return -std::expm1(-n * (n - 1) / 2 * 0x1p-64);
}

}  // namespace attend
