#include "attend/data/stored/shard.h"

#include <gtest/gtest.h>

#include <array>

#include "attend/error.h"
#include "core/files.h"
#include "data/ids.h"
#include "data/stored_samples.h"

namespace attend {
namespace {

class Shards : public WithFiles {
 protected:
  // Pairs 0 .. count - 1, up to `at_once` in a shard.
  std::vector<ShardEntry> write_pairs(int count, std::int64_t at_once, int id_bytes = 2) const {
    ShardWriter writer(folder_, {.sequences = 2, .id_bytes = id_bytes}, at_once);
    for (int i = 0; i < count; ++i) {
      const TokenIds src = source_of(i), tgt = target_of(i);
      writer.add(
          std::array{std::span<const std::int32_t>(src), std::span<const std::int32_t>(tgt)});
    }
    return writer.finish();
  }
  ShardReader open(const ShardEntry& entry, int id_bytes = 2,
                   std::int32_t vocabulary = 1000) const {
    return ShardReader(folder_ / "00000.shard", {.sequences = 2, .id_bytes = id_bytes}, entry,
                       {vocabulary, vocabulary});
  }
  // Changes one byte of the first shard.
  void damage(std::uint64_t at) const {
    std::fstream file(folder_ / "00000.shard", std::ios::binary | std::ios::in | std::ios::out);
    file.seekg(static_cast<std::streamoff>(at));
    const int byte = file.get();
    file.seekp(static_cast<std::streamoff>(at));
    file.put(static_cast<char>(byte ^ 1));
  }
};

TEST_F(Shards, GiveBackEverySampleInAnyOrder) {
  for (const int id_bytes : {2, 4}) {
    const std::vector<ShardEntry> entries = write_pairs(40, 100, id_bytes);
    ASSERT_EQ(entries.size(), 1u);
    const ShardReader shard = open(entries.front(), id_bytes);
    ASSERT_EQ(shard.samples(), 40);
    ShardReader::Sample sample;
    std::vector<std::int32_t> lengths;
    for (const int i : {39, 0, 17, 17, 1}) {
      shard.read(i, sample);
      EXPECT_EQ(copy(sample.sequence(0)), source_of(i));
      EXPECT_EQ(copy(sample.sequence(1)), target_of(i));
      shard.read_lengths(i, lengths);
      EXPECT_EQ(lengths, (std::vector<std::int32_t>{i % 5 + 1, i % 3 + 1}));
    }
    const std::vector<std::int32_t> all = shard.lengths();
    ASSERT_EQ(all.size(), 80u);
    for (std::size_t i = 0; i < 40; ++i) {
      EXPECT_EQ(all[2 * i], static_cast<std::int32_t>(i % 5 + 1));
      EXPECT_EQ(all[2 * i + 1], static_cast<std::int32_t>(i % 3 + 1));
    }
  }
}

TEST_F(Shards, KeepIdsOfAnyVocabulary) {
  ShardWriter writer(folder_, {.sequences = 1, .id_bytes = 4}, 10);
  const TokenIds ids{0, 65536, (1 << 24) - 1};
  writer.add(std::array{std::span<const std::int32_t>(ids)});
  const ShardReader shard(folder_ / shard_name(0), {.sequences = 1, .id_bytes = 4},
                          writer.finish().front(), {1 << 24});
  ShardReader::Sample sample;
  shard.read(0, sample);
  EXPECT_EQ(sample.ids, ids);
  EXPECT_EQ(id_bytes_for(65536), 2);
  EXPECT_EQ(id_bytes_for(65537), 4);
}

TEST_F(Shards, BeginAnewWhenTheyAreFull) {
  const std::vector<ShardEntry> entries = write_pairs(25, 10);
  ASSERT_EQ(entries.size(), 3u);
  EXPECT_EQ(entries[0].samples, 10);
  EXPECT_EQ(entries[2].samples, 5);
  const ShardReader last(folder_ / shard_name(2), {.sequences = 2, .id_bytes = 2}, entries[2],
                         {1000, 1000});
  ShardReader::Sample sample;
  last.read(4, sample);
  EXPECT_EQ(copy(sample.sequence(0)), source_of(24));
  EXPECT_TRUE(ShardWriter(folder_, {}, 10).finish().empty());
}

TEST_F(Shards, NameTheFileWhoseIndexIsDamaged) {
  const ShardEntry entry = write_pairs(40, 100).front();
  damage(static_cast<std::uint64_t>(entry.ids) * 2 + 5);
  const ShardReader shard = open(entry);
  const std::string message = message_of<DataError>([&] { shard.lengths(); });
  EXPECT_TRUE(contains(message, "00000.shard") && contains(message, "index")) << message;
}

TEST_F(Shards, NameTheFileAndTheSampleWhoseIdsAreDamaged) {
  const ShardEntry entry = write_pairs(40, 100).front();
  damage(0);
  const ShardReader shard = open(entry);
  shard.lengths();
  ShardReader::Sample sample;
  shard.read(1, sample);
  const std::string message = message_of<DataError>([&] { shard.read(0, sample); });
  for (const char* words : {"00000.shard", "sample 1:", "checksum", "attend prepare"})
    EXPECT_TRUE(contains(message, words)) << message;
}

TEST_F(Shards, RefuseAFileOfAnotherSize) {
  ShardEntry entry = write_pairs(40, 100).front();
  std::filesystem::resize_file(folder_ / "00000.shard",
                               std::filesystem::file_size(folder_ / "00000.shard") - 1);
  const std::string message = message_of<DataError>([&] { open(entry); });
  EXPECT_TRUE(contains(message, "00000.shard") && contains(message, "truncated")) << message;
  std::filesystem::remove(folder_ / "00000.shard");
  EXPECT_THROW(open(entry), IoError);
}

TEST_F(Shards, RefuseIdsOutsideOfTheVocabulary) {
  const ShardReader shard = open(write_pairs(40, 100).front(), 2, 120);
  ShardReader::Sample sample;
  shard.read(3, sample);
  const std::string message = message_of<DataError>([&] { shard.read(30, sample); });
  EXPECT_TRUE(contains(message, "sample 31: id 130") && contains(message, "120")) << message;
}

// Whoever writes an index with a right checksum may still have written nonsense.
TEST_F(Shards, RefuseAnIndexThatPointsElsewhere) {
  // Where the index says that the first sequence of the first sample ends, and the last of the
  // last.
  for (const int sample : {0, 1}) {
    ShardEntry entry = write_pairs(2, 100).front();
    for (const std::uint32_t end : {0xFFFFFFFFu, static_cast<std::uint32_t>(entry.ids) + 1}) {
      std::fstream file(folder_ / "00000.shard", std::ios::binary | std::ios::in | std::ios::out);
      file.seekp(static_cast<std::streamoff>(entry.ids * 2 + sample * (12 + 4)));
      file.write(reinterpret_cast<const char*>(&end), sizeof end);
      file.close();
      entry.checksum = checksum_of_index(folder_ / "00000.shard", entry.ids * 2);
      const ShardReader shard = open(entry);
      const std::string name = "sample " + std::to_string(sample + 1);
      EXPECT_TRUE(contains(message_of<DataError>([&] { shard.lengths(); }), name));
      ShardReader::Sample read;
      EXPECT_TRUE(contains(message_of<DataError>([&] { shard.read(sample, read); }),
                           "its position in the file"))
          << "before anything is read from there";
    }
  }
}

TEST_F(Shards, RefuseSamplesOfMoreSequencesThanThereCanBe) {
  const ShardEntry entry = write_pairs(2, 100).front();
  const std::string message = message_of<DataError>(
      [&] { ShardReader(folder_ / "00000.shard", {.sequences = 5, .id_bytes = 2}, entry, {}); });
  EXPECT_TRUE(contains(message, "at most 4 sequences")) << message;
}

}  // namespace
}  // namespace attend
