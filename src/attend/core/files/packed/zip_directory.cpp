#include "attend/core/files/packed/zip_directory.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "attend/core/files/byte_reader.h"
#include "attend/core/strings/quote.h"
#include "attend/error.h"

namespace attend {

namespace {

constexpr std::uint32_t kLocalSignature = 0x04034b50, kCentralSignature = 0x02014b50,
                        kEndSignature = 0x06054b50, kEnd64Signature = 0x06064b50,
                        kLocatorSignature = 0x07064b50;
constexpr std::uint64_t kLocalSize = 30, kCentralSize = 46, kEndSize = 22, kEnd64Size = 56,
                        kLocatorSize = 20;
constexpr std::uint16_t kStored = 0, kDeflated = 8;
constexpr std::uint16_t kEncrypted = 1, kSizesFollow = 8;  // flags
constexpr std::uint16_t kExtra64 = 1;                      // the extra field of 64-bit sizes
constexpr std::uint32_t kIn64 = 0xffffffff;                // "see the extra field"
constexpr std::uint64_t kLargestDirectory = std::uint64_t{64} << 20;

[[noreturn]] void refuse_zip(const InputFile& file, std::string_view why) {
  throw DataError(fmt::format("{}: damaged or not a zip file: {}", file.path(), why));
}

struct DirectoryPlace {
  std::uint64_t entries = 0, begin = 0, size = 0;
};

// Where the record at the very end begins. A comment of up to 64 KiB may follow it.
std::uint64_t find_end(const InputFile& file) {
  if (file.size() < kEndSize) refuse_zip(file, fmt::format("it has {} bytes", file.size()));
  const std::uint64_t tail_size = std::min<std::uint64_t>(file.size(), kEndSize + 0xffff);
  const std::uint64_t tail_begin = file.size() - tail_size;
  const auto tail = read_range(file, tail_begin, tail_size, "the end");
  for (std::uint64_t at = tail_size - kEndSize + 1; at-- > 0;) {
    const std::span<const std::byte> from = std::span(tail).subspan(static_cast<std::size_t>(at));
    ByteReader record(from, file.path());
    if (record.number<std::uint32_t>() != kEndSignature) continue;
    record.take(kEndSize - 6);
    if (record.number<std::uint16_t>() == record.left()) return tail_begin + at;
  }
  refuse_zip(file, "it has no directory at its end; truncated?");
}

// The 64-bit record, when there is a locator in front of the record at the end.
std::optional<DirectoryPlace> read_end64(const InputFile& file, std::uint64_t end) {
  if (end < kLocatorSize) return std::nullopt;
  const auto bytes = read_range(file, end - kLocatorSize, kLocatorSize, "a locator");
  ByteReader locator(bytes, file.path());
  if (locator.number<std::uint32_t>() != kLocatorSignature) return std::nullopt;
  locator.take(4);
  const auto begin = locator.number<std::uint64_t>();
  const std::uint64_t limit = end - kLocatorSize;
  if (begin > limit || limit - begin < kEnd64Size)
    refuse_zip(file, fmt::format("its 64-bit record is said to be at byte {}", begin));
  const auto record_bytes = read_range(file, begin, kEnd64Size, "the 64-bit record");
  ByteReader record(record_bytes, file.path());
  if (record.number<std::uint32_t>() != kEnd64Signature)
    refuse_zip(file, fmt::format("expected its 64-bit record at byte {}", begin));
  record.take(8 + 2 + 2);
  const auto disk = record.number<std::uint32_t>(), directory_disk = record.number<std::uint32_t>();
  DirectoryPlace found;
  const auto entries_here = record.number<std::uint64_t>();
  found.entries = record.number<std::uint64_t>();
  found.size = record.number<std::uint64_t>();
  found.begin = record.number<std::uint64_t>();
  if (disk != 0 || directory_disk != 0 || entries_here != found.entries)
    refuse_zip(file, "it is one part of several");
  return found;
}

DirectoryPlace locate_directory(const InputFile& file) {
  const std::uint64_t end = find_end(file);
  const auto bytes = read_range(file, end, kEndSize, "the end");
  ByteReader record(bytes, file.path());
  record.take(4);
  const auto disk = record.number<std::uint16_t>(), directory_disk = record.number<std::uint16_t>();
  const auto entries_here = record.number<std::uint16_t>();
  const auto entries = record.number<std::uint16_t>();
  const auto size = record.number<std::uint32_t>(), begin = record.number<std::uint32_t>();
  if (disk != 0 || directory_disk != 0 || entries_here != entries)
    refuse_zip(file, "it is one part of several");
  const DirectoryPlace small{entries, begin, size};
  const DirectoryPlace found = read_end64(file, end).value_or(small);
  const bool agree = (entries == 0xffff || found.entries == entries) &&
                     (begin == kIn64 || found.begin == begin) &&
                     (size == kIn64 || found.size == size);
  if (!agree) refuse_zip(file, "its two records of where the directory is do not agree");
  if (found.begin > end || found.size > end - found.begin)
    refuse_zip(file, fmt::format("its directory is said to be {} bytes at byte {}", found.size,
                                 found.begin));
  if (found.size > kLargestDirectory || found.entries > found.size / kCentralSize)
    refuse_zip(file, fmt::format("its directory is said to have {} entries in {} bytes",
                                 found.entries, found.size));
  return found;
}

// What both headers of an entry say. Those that stand in an extra field have been replaced.
struct ZipHeader {
  std::uint16_t flags = 0, method = 0;
  std::uint32_t checksum = 0;
  std::uint64_t packed_size = 0, size = 0, offset = 0;
  std::string_view name;
};

// Takes from the extra fields the 64-bit numbers that stand for those that are all ones, which are
// there in this order and only when needed.
void read_extra64(ByteReader extra, std::span<std::uint64_t* const> numbers) {
  while (extra.left() >= 4) {
    const auto id = extra.number<std::uint16_t>();
    const auto size = extra.number<std::uint16_t>();
    ByteReader field(extra.take(size), extra.where());
    if (id != kExtra64) continue;
    for (std::uint64_t* const number : numbers)
      if (*number == kIn64) *number = field.number<std::uint64_t>();
    return;
  }
}

ZipHeader read_central(ByteReader& directory, const InputFile& file) {
  if (directory.number<std::uint32_t>() != kCentralSignature)
    refuse_zip(file, fmt::format("expected an entry at byte {} of its directory",
                                 directory.position() - 4));
  ZipHeader header;
  directory.take(4);  // the versions that wrote it and that are needed
  header.flags = directory.number<std::uint16_t>();
  header.method = directory.number<std::uint16_t>();
  directory.take(4);  // time and date
  header.checksum = directory.number<std::uint32_t>();
  header.packed_size = directory.number<std::uint32_t>();
  header.size = directory.number<std::uint32_t>();
  const auto name_size = directory.number<std::uint16_t>();
  const auto extra_size = directory.number<std::uint16_t>();
  const auto comment_size = directory.number<std::uint16_t>();
  const auto disk = directory.number<std::uint16_t>();
  directory.take(6);  // attributes
  header.offset = directory.number<std::uint32_t>();
  header.name = directory.text(name_size);
  std::uint64_t* const numbers[] = {&header.size, &header.packed_size, &header.offset};
  read_extra64(ByteReader(directory.take(extra_size), file.path()), numbers);
  directory.take(comment_size);
  if (disk != 0) refuse_zip(file, "it is one part of several");
  return header;
}

// Compares the local header with the directory; returns where the bytes begin.
std::uint64_t check_local(const InputFile& file, const ZipHeader& central) {
  const auto fixed = read_range(file, central.offset, kLocalSize, "an entry");
  ByteReader reader(fixed, file.path());
  const bool found = reader.number<std::uint32_t>() == kLocalSignature;
  ZipHeader local;
  reader.take(2);
  local.flags = reader.number<std::uint16_t>();
  local.method = reader.number<std::uint16_t>();
  reader.take(4);
  local.checksum = reader.number<std::uint32_t>();
  local.packed_size = reader.number<std::uint32_t>();
  local.size = reader.number<std::uint32_t>();
  const auto name_size = reader.number<std::uint16_t>();
  const auto extra_size = reader.number<std::uint16_t>();
  const auto rest = read_range(file, central.offset + kLocalSize,
                               std::uint64_t{name_size} + extra_size, "an entry");
  ByteReader variable(rest, file.path());
  local.name = variable.text(name_size);
  std::uint64_t* const numbers[] = {&local.size, &local.packed_size};
  read_extra64(ByteReader(variable.take(extra_size), file.path()), numbers);
  // A writer that cannot seek leaves them out here and writes them after the bytes.
  const bool follows = (local.flags & kSizesFollow) != 0;
  const auto same = [&](std::uint64_t a, std::uint64_t b) { return a == b || (follows && a == 0); };
  if (!found || local.name != central.name || local.flags != central.flags ||
      local.method != central.method || !same(local.checksum, central.checksum) ||
      !same(local.packed_size, central.packed_size) || !same(local.size, central.size))
    refuse_zip(file, fmt::format("entry {}: the header at byte {} is not what the directory says",
                                 quote(central.name), central.offset));
  return central.offset + kLocalSize + rest.size();
}

void check_central(const ZipHeader& header, const InputFile& file) {
  const auto refuse = [&](std::string_view why) {
    throw DataError(
        fmt::format("{}: entry {} of the zip file: {}", file.path(), quote(header.name), why));
  };
  if ((header.flags & kEncrypted) != 0) refuse("expected plain bytes, found encrypted ones");
  if (header.method != kStored && header.method != kDeflated)
    refuse(fmt::format("expected stored or deflated bytes, found method {}", header.method));
  if (header.method == kStored && header.packed_size != header.size)
    refuse(fmt::format("it is stored as it is, but with {} bytes in place of {}",
                       header.packed_size, header.size));
}

// No two may share bytes, and none the directory.
void check_ranges(std::span<const ZipEntry> entries, std::uint64_t directory_begin,
                  const InputFile& file) {
  std::vector<const ZipEntry*> order;
  for (const ZipEntry& entry : entries) order.push_back(&entry);
  std::sort(order.begin(), order.end(),
            [](const ZipEntry* a, const ZipEntry* b) { return a->header < b->header; });
  for (std::size_t i = 0; i < order.size(); ++i) {
    const ZipEntry& entry = *order[i];
    const std::uint64_t limit = i + 1 < order.size() ? order[i + 1]->header : directory_begin;
    if (entry.begin > limit || entry.packed_size > limit - entry.begin)
      refuse_zip(file, fmt::format("entry {} overlaps what follows it", quote(entry.name)));
  }
}

// Deflate makes a thousand bytes of one at best; numbers that were learned hardly shrink.
void check_unpacked_size(std::span<const ZipEntry> entries, const InputFile& file) {
  constexpr std::uint64_t kAlways = std::uint64_t{64} << 20, kRatio = 100;
  std::uint64_t total = 0;
  for (const ZipEntry& entry : entries) {
    if (entry.deflated && (__builtin_add_overflow(total, entry.size, &total) ||
                           total > kAlways + kRatio * file.size()))
      refuse_zip(file, fmt::format("its {} bytes would unpack to more than {} times as many",
                                   file.size(), kRatio));
  }
}

}  // namespace

std::vector<ZipEntry> read_zip_directory(const InputFile& file) {
  const DirectoryPlace place = locate_directory(file);
  const auto bytes = read_range(file, place.begin, place.size, "the directory");
  ByteReader directory(bytes, file.path());
  std::vector<ZipEntry> entries;
  entries.reserve(static_cast<std::size_t>(place.entries));
  for (std::uint64_t i = 0; i < place.entries; ++i) {
    const ZipHeader header = read_central(directory, file);
    check_central(header, file);
    entries.push_back({.name = std::string(header.name),
                       .header = header.offset,
                       .begin = check_local(file, header),
                       .packed_size = header.packed_size,
                       .size = header.size,
                       .checksum = header.checksum,
                       .deflated = header.method == kDeflated});
  }
  if (directory.left() > 0)
    refuse_zip(file,
               fmt::format("{} bytes follow the last entry of its directory", directory.left()));
  check_ranges(entries, place.begin, file);
  check_unpacked_size(entries, file);
  return entries;
}

}  // namespace attend
