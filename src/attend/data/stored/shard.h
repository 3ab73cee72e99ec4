// Token ids on disk, in files from which single samples are read: shards.
//
// A sample is one sequence of ids, or several: a source and a target. A shard is, little endian,
//
//   ids     of all samples, end to end, 2 or 4 bytes each
//   index   for each sample: where each of its sequences ends (4 bytes: ids from the start of the
//           shard), and the CRC-32 of its ids (4 bytes)
//
// What describes it, ShardEntry and ShardFormat, is kept elsewhere
// (tasks/preparation/prepared_manifest.h). The checksum of a shard is the CRC-32 of its index,
// which has those of the samples: so each byte that is used is checked, without reading the ids of
// the others.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "attend/core/files/atomic_file.h"
#include "attend/core/files/input_file.h"
#include "attend/core/options/number_range.h"

namespace attend {

inline constexpr NumberRange kShardSamples = between(1, 1 << 22);
inline constexpr std::int64_t kMostShardIds = (std::int64_t{1} << 31) - 1;

struct ShardFormat {
  int sequences = 1;  // of a sample
  int id_bytes = 4;   // 2 or 4

  // Returns the size of an index entry.
  int entry_bytes() const { return 4 * (sequences + 1); }
};

struct ShardEntry {
  std::int64_t samples = 0;
  std::int64_t ids = 0;
  std::uint64_t checksum = 0;
};

// The smallest that a vocabulary of this size needs.
inline int id_bytes_for(std::int64_t vocab_size) { return vocab_size <= 1 << 16 ? 2 : 4; }

// "00000.shard"
std::string shard_name(std::size_t number);

// Writes samples into shards of a folder, one after the other. All functions throw IoError.
class ShardWriter {
 public:
  // A shard has at most `samples` samples and kMostShardIds ids.
  ShardWriter(std::filesystem::path folder, const ShardFormat& format, std::int64_t samples);

  // The sequences of one sample. Precondition: ids fit into id_bytes. Throws DataError for a sample
  // that does not fit into a shard.
  void add(std::span<const std::span<const std::int32_t>> sequences);
  // Completes the last shard. Returns all of them.
  std::vector<ShardEntry> finish();

 private:
  void open();
  void close();
  void write(std::span<const std::int32_t> ids);
  void flush();

  std::filesystem::path folder_;
  ShardFormat format_;
  std::int64_t samples_;
  std::unique_ptr<AtomicFile> file_;  // null between shards
  ShardEntry entry_;                  // of file_
  std::vector<std::byte> ids_;        // not written yet
  std::size_t sample_begin_ = 0;      // of the latest sample in ids_
  std::vector<std::uint32_t> index_;
  std::vector<ShardEntry> shards_;
};

// A shard, open for reading. Thread-safe.
class ShardReader {
 public:
  // vocab_sizes: of each sequence of a sample. Throws IoError if the file cannot be opened,
  // DataError if it does not have the size that `entry` tells.
  ShardReader(const std::filesystem::path& file, const ShardFormat& format, const ShardEntry& entry,
              std::vector<std::int32_t> vocab_sizes);

  std::int64_t samples() const { return entry_.samples; }
  const std::string& path() const { return file_.path(); }

  // The lengths of all sequences, sample by sample. Reads and checks the index. Throws DataError
  // that names the file if it is damaged, IoError if it cannot be read.
  std::vector<std::int32_t> lengths() const;

  // The ids of one sample.
  struct Sample {
    std::vector<std::int32_t> ids;
    std::vector<std::int32_t> ends;  // of each sequence in ids

    std::span<const std::int32_t> sequence(std::size_t i) const {
      const auto begin = static_cast<std::size_t>(i == 0 ? 0 : ends[i - 1]);
      return std::span(ids).subspan(begin, static_cast<std::size_t>(ends[i]) - begin);
    }
  };
  // Reads sample i into `sample`, whose memory is used again. Precondition: 0 <= i < samples().
  // Throws DataError that names the file and the sample if it is damaged or has an id outside of
  // the vocabulary, IoError if it cannot be read.
  void read(std::int64_t i, Sample& sample) const;
  // The lengths of its sequences, without their ids. Throws like read().
  void read_lengths(std::int64_t i, std::vector<std::int32_t>& lengths) const;

 private:
  // Where a sample is, in ids from the start of the shard.
  struct Place {
    std::int64_t begin = 0;
    std::uint32_t checksum = 0;
  };
  // Sets `ends` relative to the first id.
  Place place_of(std::int64_t i, std::vector<std::int32_t>& ends) const;
  [[noreturn]] void refuse_sample(std::int64_t i, std::string_view what) const;
  void check_ids(std::int64_t i, const Sample& sample) const;
  std::uint64_t index_begin() const {
    return static_cast<std::uint64_t>(entry_.ids) * static_cast<std::uint64_t>(format_.id_bytes);
  }

  InputFile file_;
  ShardFormat format_;
  ShardEntry entry_;
  std::vector<std::int32_t> vocab_sizes_;
};

}  // namespace attend
