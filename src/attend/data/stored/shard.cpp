#include "attend/data/stored/shard.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <utility>

#include "attend/backend/bytes.h"
#include "attend/error.h"

namespace attend {

namespace {

static_assert(std::endian::native == std::endian::little, "shards are read as they are stored");

constexpr std::size_t kWriteAtOnce = std::size_t{4} << 20;
constexpr int kMostSequences = 4;

std::uint32_t number_at(const std::byte* at) {
  std::uint32_t number = 0;
  std::memcpy(&number, at, sizeof number);
  return number;
}

}  // namespace

std::string shard_name(std::size_t number) { return fmt::format("{:05}.shard", number); }

ShardWriter::ShardWriter(std::filesystem::path folder, const ShardFormat& format,
                         std::int64_t samples)
    : folder_(std::move(folder)), format_(format), samples_(samples) {}

void ShardWriter::add(std::span<const std::span<const std::int32_t>> sequences) {
  std::int64_t count = 0;
  for (const std::span<const std::int32_t> ids : sequences) count += std::ssize(ids);
  if (count > kMostShardIds)
    throw DataError(
        fmt::format("a sample of {} tokens: expected at most {}", count, kMostShardIds));
  if (file_ && (entry_.samples == samples_ || entry_.ids + count > kMostShardIds)) close();
  if (!file_) open();
  sample_begin_ = ids_.size();
  for (const std::span<const std::int32_t> ids : sequences) {
    write(ids);
    entry_.ids += std::ssize(ids);
    index_.push_back(static_cast<std::uint32_t>(entry_.ids));
  }
  index_.push_back(crc32_of(std::span(ids_).subspan(sample_begin_)));
  ++entry_.samples;
  if (ids_.size() >= kWriteAtOnce) flush();
}

void ShardWriter::open() {
  file_ = std::make_unique<AtomicFile>(folder_ / shard_name(shards_.size()));
  entry_ = {};
}

void ShardWriter::write(std::span<const std::int32_t> ids) {
  if (format_.id_bytes == 4) {
    const auto bytes = std::as_bytes(ids);
    ids_.insert(ids_.end(), bytes.begin(), bytes.end());
    return;
  }
  const std::size_t begin = ids_.size();
  ids_.resize(begin + 2 * ids.size());
  for (std::size_t i = 0; i < ids.size(); ++i) {
    const auto id = static_cast<std::uint16_t>(ids[i]);
    std::memcpy(ids_.data() + begin + 2 * i, &id, sizeof id);
  }
}

void ShardWriter::flush() {
  file_->write(ids_);
  ids_.clear();
}

void ShardWriter::close() {
  flush();
  const auto index = std::as_bytes(std::span(index_));
  file_->write(index);
  file_->commit();
  file_.reset();
  entry_.checksum = crc32_of(index);
  index_.clear();
  shards_.push_back(entry_);
}

std::vector<ShardEntry> ShardWriter::finish() {
  if (file_) close();
  return std::move(shards_);
}

ShardReader::ShardReader(const std::filesystem::path& file, const ShardFormat& format,
                         const ShardEntry& entry, std::vector<std::int32_t> vocab_sizes)
    : file_(file), format_(format), entry_(entry), vocab_sizes_(std::move(vocab_sizes)) {
  if (format_.sequences > kMostSequences)
    throw DataError(fmt::format("{}: expected at most {} sequences in a sample, found {}", path(),
                                kMostSequences, format_.sequences));
  const std::uint64_t expected =
      index_begin() + static_cast<std::uint64_t>(entry_.samples) *
                          static_cast<std::uint64_t>(format_.entry_bytes());
  if (file_.size() != expected)
    throw DataError(
        fmt::format("{}: expected {} bytes, found {}: it was truncated or belongs to another text; "
                    "restore it, or run attend prepare again",
                    path(), expected, file_.size()));
}

std::vector<std::int32_t> ShardReader::lengths() const {
  const auto columns = static_cast<std::size_t>(format_.sequences) + 1;
  std::vector<std::uint32_t> index(static_cast<std::size_t>(entry_.samples) * columns);
  const auto bytes = std::as_writable_bytes(std::span(index));
  file_.read(index_begin(), bytes);
  if (crc32_of(bytes) != entry_.checksum)
    throw DataError(
        fmt::format("{}: the checksum of its index is not the one that was written: it is damaged; "
                    "restore it, or run attend prepare again",
                    path()));
  std::vector<std::int32_t> lengths;
  lengths.reserve(static_cast<std::size_t>(entry_.samples * format_.sequences));
  std::uint32_t begin = 0;
  for (std::size_t i = 0; i < index.size(); ++i) {
    if (i % columns == columns - 1) continue;
    if (index[i] < begin || index[i] > entry_.ids)
      refuse_sample(static_cast<std::int64_t>(i / columns), "its position in the file is invalid");
    lengths.push_back(static_cast<std::int32_t>(index[i] - begin));
    begin = index[i];
  }
  return lengths;
}

ShardReader::Place ShardReader::place_of(std::int64_t i, std::vector<std::int32_t>& ends) const {
  // The entry, and what is before it: the end of the sample before, and its checksum.
  std::array<std::byte, 8 + 4 * (kMostSequences + 1)> bytes{};
  const auto size = static_cast<std::size_t>(format_.entry_bytes());
  const std::uint64_t entry = index_begin() + static_cast<std::uint64_t>(i) * size;
  const std::size_t before = i == 0 ? 0 : 8;
  file_.read(entry - before, std::span(bytes).first(before + size));
  Place place{before == 0 ? 0 : number_at(bytes.data()), 0};
  const std::byte* at = bytes.data() + before;
  ends.clear();
  std::int64_t last = place.begin;
  for (int sequence = 0; sequence < format_.sequences; ++sequence, at += 4) {
    const std::int64_t end = number_at(at);
    if (end < last || end > entry_.ids) refuse_sample(i, "its position in the file is invalid");
    ends.push_back(static_cast<std::int32_t>(end - place.begin));
    last = end;
  }
  place.checksum = number_at(at);
  return place;
}

void ShardReader::read_lengths(std::int64_t i, std::vector<std::int32_t>& lengths) const {
  place_of(i, lengths);
  for (std::size_t s = lengths.size(); s-- > 1;) lengths[s] -= lengths[s - 1];
}

void ShardReader::read(std::int64_t i, Sample& sample) const {
  const Place place = place_of(i, sample.ends);
  const auto count = static_cast<std::size_t>(sample.ends.back());
  const auto id_bytes = static_cast<std::size_t>(format_.id_bytes);
  sample.ids.resize(count);
  // The file is read into the last part of the ids' memory: 2-byte ids then grow in place.
  const auto memory = std::as_writable_bytes(std::span(sample.ids));
  const auto stored = memory.last(count * id_bytes);
  file_.read(static_cast<std::uint64_t>(place.begin) * id_bytes, stored);
  if (crc32_of(stored) != place.checksum)
    refuse_sample(i, "its checksum is not the one that was written");
  if (id_bytes == 2) {
    for (std::size_t k = 0; k < count; ++k) {
      std::uint16_t id = 0;
      std::memcpy(&id, stored.data() + 2 * k, sizeof id);
      sample.ids[k] = id;
    }
  }
  check_ids(i, sample);
}

void ShardReader::check_ids(std::int64_t i, const Sample& sample) const {
  for (std::size_t s = 0; s < sample.ends.size(); ++s) {
    const std::int32_t size = vocab_sizes_[s];
    for (const std::int32_t id : sample.sequence(s))
      if (id < 0 || id >= size)
        refuse_sample(i, fmt::format("id {} is outside of the vocabulary of {}", id, size));
  }
}

void ShardReader::refuse_sample(std::int64_t i, std::string_view what) const {
  throw DataError(
      fmt::format("{}: sample {}: {}: the file is damaged; restore it, or run attend prepare again",
                  path(), i + 1, what));
}

}  // namespace attend
