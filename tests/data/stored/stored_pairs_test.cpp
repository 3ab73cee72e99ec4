#include "attend/data/stored/stored_pairs.h"

#include <gtest/gtest.h>

#include <array>

#include "attend/error.h"
#include "core/files.h"
#include "core/scoped_threads.h"
#include "data/ids.h"
#include "data/stored_samples.h"

namespace attend {
namespace {

constexpr SpecialTokens kSourceMarks{.eos = 3}, kTargetMarks{.bos = 2, .eos = 5};

class PairsOnDisk : public WithFiles {
 protected:
  void SetUp() override {
    WithFiles::SetUp();
    const ShardFormat format{.sequences = 2, .id_bytes = 2};
    ShardWriter writer(folder_, format, 70);
    RaggedBuilder src, tgt;
    for (int i = 0; i < 300; ++i) {
      const TokenIds source = source_of(i), target = target_of(i);
      writer.add(
          std::array{std::span<const std::int32_t>(source), std::span<const std::int32_t>(target)});
      src.add(source);
      tgt.add(target);
    }
    const std::vector<ShardEntry> entries = writer.finish();
    std::vector<std::shared_ptr<const ShardReader>> shards;
    for (std::size_t i = 0; i < entries.size(); ++i)
      shards.push_back(std::make_shared<const ShardReader>(
          folder_ / shard_name(i), format, entries[i], std::vector<std::int32_t>{1000, 1000}));
    on_disk_ = std::make_shared<const StoredPairs>(std::move(shards));
    in_memory_ = pairs_in_memory({src.build(), tgt.build()});
  }

  std::shared_ptr<const PairSource> on_disk_, in_memory_;
};

TEST_F(PairsOnDisk, MakeTheSameBatchesAsPairsInMemory) {
  ASSERT_EQ(on_disk_->size(), 300);
  const PairTokens tokens(kSourceMarks, kTargetMarks);
  const TranslationBatcher stored(on_disk_, tokens, {40}, 7), whole(in_memory_, tokens, {40}, 7);
  for (const std::int64_t epoch : {0, 1, 5}) {
    ASSERT_EQ(stored.batches(epoch), whole.batches(epoch));
    for (std::int64_t i = 0; i < whole.batches(epoch); ++i) {
      const TranslationBatch is = stored.batch(epoch, i), expected = whole.batch(epoch, i);
      EXPECT_EQ(is.src.ids, expected.src.ids);
      EXPECT_EQ(is.src.offsets, expected.src.offsets);
      EXPECT_EQ(is.tgt_in.ids, expected.tgt_in.ids);
      EXPECT_EQ(is.tgt_in.offsets, expected.tgt_in.offsets);
      EXPECT_EQ(is.tgt_out, expected.tgt_out);
      const auto size = stored.size(epoch, i), expected_size = whole.size(epoch, i);
      EXPECT_EQ(size.pairs, expected_size.pairs);
      EXPECT_EQ(size.src_tokens, expected_size.src_tokens);
      EXPECT_EQ(size.tgt_tokens, expected_size.tgt_tokens);
    }
  }
}

TEST_F(PairsOnDisk, CountTheMarksOfTheLanguages) {
  const PairSpecialTokens marks{{40}, {3, 41}, {5, 42}};
  for (const int threads : {1, 3}) {
    const ScopedThreads scope(threads);
    EXPECT_EQ(on_disk_->costs(0, marks), in_memory_->costs(0, marks));
  }
}

TEST_F(PairsOnDisk, AreFoundOnBothSidesOfAnEndOfAShard) {
  const EncodedPairs pairs = on_disk_->read(0, std::array<std::int32_t, 4>{69, 70, 0, 299});
  ASSERT_EQ(pairs.src.sequences(), 4);
  std::int64_t i = 0;
  for (const int pair : {69, 70, 0, 299}) {
    EXPECT_EQ(copy(pairs.src[i]), source_of(pair));
    EXPECT_EQ(copy(pairs.tgt[i++]), target_of(pair));
  }
}

}  // namespace
}  // namespace attend
