#include "attend/data/stored/token_stream.h"

#include <gtest/gtest.h>

#include <array>
#include <numeric>

#include "attend/data/language.h"
#include "attend/error.h"
#include "core/files.h"
#include "data/ids.h"

namespace attend {
namespace {

class TokensOnDisk : public WithFiles {
 protected:
  static constexpr ShardFormat kFormat{.sequences = 1, .id_bytes = 2};

  std::vector<std::shared_ptr<const ShardReader>> open(
      const std::vector<ShardEntry>& entries) const {
    std::vector<std::shared_ptr<const ShardReader>> shards;
    for (std::size_t i = 0; i < entries.size(); ++i)
      shards.push_back(std::make_shared<const ShardReader>(
          folder_ / shard_name(i), kFormat, entries[i], std::vector<std::int32_t>{1 << 16}));
    return shards;
  }
  // In shards of two blocks, and added in parts of every length.
  std::shared_ptr<const StoredTokens> stored(const TokenIds& ids) const {
    ShardWriter shards(folder_, kFormat, 2);
    StreamWriter writer(shards);
    std::size_t length = 1;
    for (std::size_t begin = 0; begin < ids.size(); begin += length++)
      writer.add(std::span(ids).subspan(begin, std::min(length, ids.size() - begin)));
    writer.finish();
    return std::make_shared<const StoredTokens>(open(shards.finish()));
  }
  static TokenIds counting(int count) {
    TokenIds ids(static_cast<std::size_t>(count));
    std::iota(ids.begin(), ids.end(), 0);
    return ids;
  }
};

TEST_F(TokensOnDisk, AreReadFromAnyPosition) {
  const TokenIds all = counting(7 * kStreamBlock + 100);
  const auto stream = stored(all);
  ASSERT_EQ(stream->size(), std::ssize(all));
  for (const std::int64_t begin : {0L, 5L, 1023L, 1024L, 2047L, 4000L, 7167L, 7200L}) {
    for (const std::size_t count : {1u, 2u, 60u}) {
      TokenIds part(count);
      stream->read(begin, part);
      EXPECT_EQ(part, TokenIds(all.begin() + begin, all.begin() + begin + std::ssize(part)));
    }
  }
  TokenIds whole(all.size());
  stream->read(0, whole);
  EXPECT_EQ(whole, all);
}

TEST_F(TokensOnDisk, MakeTheSameBatchesAsTokensInMemory) {
  for (const int tokens : {3000, 4 * 1024}) {
    const TokenIds all = counting(tokens);
    const LanguageOptions windows{.sequence_length = 60};
    const LanguageBatcher on_disk(stored(all), windows, {200}, 9), whole(all, windows, {200}, 9);
    for (const std::int64_t epoch : {0, 3}) {
      ASSERT_EQ(on_disk.batches(epoch), whole.batches(epoch));
      for (std::int64_t i = 0; i < whole.batches(epoch); ++i) {
        EXPECT_EQ(on_disk.batch(epoch, i).input.ids, whole.batch(epoch, i).input.ids);
        EXPECT_EQ(on_disk.batch(epoch, i).target, whole.batch(epoch, i).target);
        EXPECT_EQ(on_disk.size(epoch, i), whole.size(epoch, i));
      }
    }
  }
}

TEST_F(TokensOnDisk, EndALineOnceWhereStreamsMeet) {
  const auto in_memory = [](TokenIds ids) {
    return std::make_shared<const TokensInMemory>(std::move(ids));
  };
  const TokenIds block = counting(kStreamBlock + 5);
  const JoinedTokens joined(
      {in_memory({9, 1, 2, 9}), in_memory({}), in_memory({9, 3, 9}), stored(block)});
  TokenIds all{9, 1, 2, 9, 3, 9};
  all.insert(all.end(), block.begin() + 1, block.end());
  ASSERT_EQ(joined.size(), std::ssize(all));
  for (const std::int64_t begin : {0, 3, 4, 5, 6, 7, 1024}) {
    for (const std::int64_t count : {1L, 2L, joined.size() - begin}) {
      TokenIds part(static_cast<std::size_t>(count));
      joined.read(begin, part);
      EXPECT_EQ(part, TokenIds(all.begin() + begin, all.begin() + begin + count)) << begin;
    }
  }
}

TEST_F(TokensOnDisk, RefuseBlocksOfAnotherLength) {
  ShardWriter writer(folder_, kFormat, 10);
  const TokenIds block = counting(kStreamBlock), short_block = counting(7);
  writer.add(std::array{std::span<const std::int32_t>(short_block)});
  writer.add(std::array{std::span<const std::int32_t>(block)});
  const auto entries = writer.finish();
  const std::string message = message_of<DataError>([&] { StoredTokens{open(entries)}; });
  for (const char* words : {"00000.shard", "sample 1", "1024", "7"})
    EXPECT_TRUE(contains(message, words)) << message;
}

TEST_F(TokensOnDisk, RefuseAnEmptyLastBlock) {
  ShardWriter writer(folder_, kFormat, 10);
  const TokenIds block = counting(kStreamBlock);
  writer.add(std::array{std::span<const std::int32_t>(block)});
  writer.add(std::array{std::span<const std::int32_t>()});
  const auto entries = writer.finish();
  const std::string message = message_of<DataError>([&] { StoredTokens{open(entries)}; });
  for (const char* words : {"00000.shard", "sample 2", "found 0"})
    EXPECT_TRUE(contains(message, words)) << message;
}

}  // namespace
}  // namespace attend
