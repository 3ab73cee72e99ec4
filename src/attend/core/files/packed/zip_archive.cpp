#include "attend/core/files/packed/zip_archive.h"

#include <fmt/format.h>
#include <zlib.h>

#include <algorithm>
#include <numeric>
#include <optional>
#include <span>
#include <utility>

#include "attend/core/files/byte_reader.h"
#include "attend/core/files/packed/zip_directory.h"
#include "attend/core/strings/quote.h"
#include "attend/error.h"

namespace attend {

namespace {

constexpr std::size_t kPieceBytes = std::size_t{64} << 10;

[[noreturn]] void refuse_entry(const InputFile& file, const ZipEntry& entry, std::string_view why) {
  throw DataError(
      fmt::format("{}: entry {} of the zip file: {}", file.path(), quote(entry.name), why));
}

std::uint32_t add_to_checksum(std::uint32_t checksum, std::span<const std::byte> bytes) {
  return static_cast<std::uint32_t>(
      crc32_z(checksum, reinterpret_cast<const Bytef*>(bytes.data()), bytes.size()));
}

void check_checksum(const InputFile& file, const ZipEntry& entry, std::uint32_t found) {
  if (entry.checksum != 0 && found != entry.checksum)
    refuse_entry(file, entry, "its checksum is wrong: damaged");
}

// The unpacked bytes of a deflated entry, one after the other.
class Inflater {
 public:
  Inflater(const InputFile& file, const ZipEntry& entry)
      : file_(file),
        entry_(entry),
        packed_(std::min<std::uint64_t>(entry.packed_size, kPieceBytes)) {
    if (inflateInit2(&stream_, -MAX_WBITS) != Z_OK)
      throw IoError(fmt::format("{}: zlib did not start", file.path()));
  }
  ~Inflater() { inflateEnd(&stream_); }
  Inflater(const Inflater&) = delete;
  Inflater& operator=(const Inflater&) = delete;

  // Precondition: `to` is not empty.
  void read(std::span<std::byte> to) {
    constexpr std::size_t kMostAtOnce = std::size_t{1} << 30;
    while (!to.empty()) {
      const auto piece = to.first(std::min(to.size(), kMostAtOnce));
      inflate_piece(piece);
      checksum_ = add_to_checksum(checksum_, piece);
      to = to.subspan(piece.size());
    }
  }

  // Precondition: as many bytes were read as the entry has. Throws DataError unless that was all.
  void finish() {
    std::byte beyond{};
    stream_.next_out = reinterpret_cast<Bytef*>(&beyond);
    stream_.avail_out = 1;
    while (!ended_ && stream_.avail_out == 1) advance();
    if (stream_.avail_out == 0)
      refuse_entry(file_, entry_, fmt::format("expected {} bytes, found more", entry_.size));
    check_checksum(file_, entry_, checksum_);
  }

 private:
  void inflate_piece(std::span<std::byte> to) {
    stream_.next_out = reinterpret_cast<Bytef*>(to.data());
    stream_.avail_out = static_cast<uInt>(to.size());
    while (stream_.avail_out > 0) {
      if (ended_)
        refuse_entry(file_, entry_, fmt::format("expected {} bytes, found fewer", entry_.size));
      advance();
    }
  }

  void advance() {
    if (stream_.avail_in == 0) refill();
    const int result = inflate(&stream_, Z_NO_FLUSH);
    if (result == Z_STREAM_END) {
      ended_ = true;
    } else if (result != Z_OK) {
      refuse_entry(file_, entry_,
                   fmt::format("damaged: {}", stream_.msg ? stream_.msg : "it ends too early"));
    }
  }

  void refill() {
    const std::uint64_t left = entry_.packed_size - taken_;
    const auto piece = std::span(packed_).first(
        static_cast<std::size_t>(std::min<std::uint64_t>(left, packed_.size())));
    file_.read(entry_.begin + taken_, piece);
    taken_ += piece.size();
    stream_.next_in = reinterpret_cast<Bytef*>(piece.data());
    stream_.avail_in = static_cast<uInt>(piece.size());
  }

  const InputFile& file_;
  const ZipEntry& entry_;
  std::vector<std::byte> packed_;
  std::uint64_t taken_ = 0;
  std::uint32_t checksum_ = 0;
  z_stream stream_{};
  bool ended_ = false;
};

void read_deflated(const InputFile& file, const ZipEntry& entry, std::uint64_t skip,
                   std::span<std::byte> to) {
  Inflater inflater(file, entry);
  std::vector<std::byte> skipped(
      static_cast<std::size_t>(std::min<std::uint64_t>(skip, kPieceBytes)));
  for (std::uint64_t left = skip; left > 0;) {
    const auto piece = std::span(skipped).first(
        static_cast<std::size_t>(std::min<std::uint64_t>(left, skipped.size())));
    inflater.read(piece);
    left -= piece.size();
  }
  inflater.read(to);
  if (skip + to.size() == entry.size) inflater.finish();
}

void read_stored(const InputFile& file, const ZipEntry& entry, std::uint64_t skip,
                 std::span<std::byte> to) {
  file.read(entry.begin + skip, to);
  // A checksum covers the skipped bytes, too: read them only if they are few, such as the header of
  // an array, not other tensors.
  if (skip > kPieceBytes || skip + to.size() != entry.size) return;
  const auto skipped = read_range(file, entry.begin, skip, "an entry");
  check_checksum(file, entry, add_to_checksum(add_to_checksum(0, skipped), to));
}

class EntryBytes final : public detail::ByteSource {
 public:
  EntryBytes(const InputFile& file, const ZipEntry& entry) : file_(file), entry_(entry) {
    if (entry.deflated) inflater_.emplace(file, entry);
  }

  std::size_t read(char* to, std::size_t capacity) override {
    const auto count =
        static_cast<std::size_t>(std::min<std::uint64_t>(capacity, entry_.size - at_));
    const auto piece = std::as_writable_bytes(std::span(to, count));
    if (count == 0) return 0;
    if (inflater_) {
      inflater_->read(piece);
    } else {
      file_.read(entry_.begin + at_, piece);
      checksum_ = add_to_checksum(checksum_, piece);
    }
    at_ += count;
    if (at_ == entry_.size) finish();
    return count;
  }

 private:
  void finish() {
    if (inflater_) return inflater_->finish();
    check_checksum(file_, entry_, checksum_);
  }

  const InputFile& file_;
  const ZipEntry& entry_;
  std::optional<Inflater> inflater_;
  std::uint64_t at_ = 0;
  std::uint32_t checksum_ = 0;
};

}  // namespace

ZipArchive::ZipArchive(std::shared_ptr<const InputFile> file)
    : file_(std::move(file)), entries_(read_zip_directory(*file_)), by_name_(entries_.size()) {
  std::iota(by_name_.begin(), by_name_.end(), std::size_t{0});
  std::sort(by_name_.begin(), by_name_.end(),
            [&](std::size_t a, std::size_t b) { return entries_[a].name < entries_[b].name; });
  const auto same = std::adjacent_find(
      by_name_.begin(), by_name_.end(),
      [&](std::size_t a, std::size_t b) { return entries_[a].name == entries_[b].name; });
  if (same != by_name_.end()) refuse_entry(*file_, entries_[*same], "two entries have this name");
}

const ZipEntry* ZipArchive::find(std::string_view name) const {
  const auto found =
      std::lower_bound(by_name_.begin(), by_name_.end(), name,
                       [&](std::size_t i, std::string_view n) { return entries_[i].name < n; });
  return found != by_name_.end() && entries_[*found].name == name ? &entries_[*found] : nullptr;
}

void ZipArchive::read(const ZipEntry& entry, std::uint64_t skip, std::span<std::byte> to) const {
  if (skip > entry.size || to.size() > entry.size - skip)
    refuse_entry(
        *file_, entry,
        fmt::format("expected {} bytes at byte {}, found {} in all", to.size(), skip, entry.size));
  if (to.empty()) return;
  if (entry.deflated) return read_deflated(*file_, entry, skip, to);
  read_stored(*file_, entry, skip, to);
}

std::unique_ptr<detail::ByteSource> ZipArchive::open(const ZipEntry& entry) const {
  return std::make_unique<EntryBytes>(*file_, entry);
}

std::vector<std::byte> ZipArchive::read(const ZipEntry& entry, std::uint64_t most) const {
  if (entry.size > most)
    refuse_entry(*file_, entry,
                 fmt::format("expected at most {} bytes, found {}", most, entry.size));
  std::vector<std::byte> bytes(static_cast<std::size_t>(entry.size));
  read(entry, 0, bytes);
  return bytes;
}

}  // namespace attend
