#include "attend/checkpoint/safetensors/checked_file.h"

#include <atomic>
#include <numeric>

#include "attend/checkpoint/checkpoint.h"
#include "checkpoint/test_folder.h"

namespace attend {
namespace {

// Models whose weights have several parts.
class CheckedFileTest : public FolderTest {
 protected:
  static constexpr std::int64_t kRows = 1000, kColumns = 300;

  CheckedFileTest() : weights_(Tensor::empty({kRows, kColumns})) {
    std::iota(weights_.data(), weights_.data() + weights_.size(), 0.0f);
    save_checkpoint(path("a"), {{{"w", weights_},
                                 {"other", Tensor::full({100'000}, 1.0f)},
                                 {"tokenizer", bytes_tensor("abc")}},
                                {{"key", "value"}},
                                ""});
  }

  // Changes a byte of the first or last tensor of floats in the file.
  void damage(std::string_view tensor) {
    std::string bytes = read(path("a"));
    const TensorEntry entry = *CheckedFile(path("a")).header().find(tensor);
    bytes[entry.end - 4] = static_cast<char>(bytes[entry.end - 4] ^ 1);
    write(path("a"), bytes);
  }

  Tensor weights_;
};

TEST_F(CheckedFileTest, RowsComeInWholeBlocksWithTheirElements) {
  const Checkpoint opened = open_checkpoint(path("a"));
  for (const std::int64_t block : {1, 16, 700, 2000}) {
    const Tensor wanted = Tensor::zeros({kRows, kColumns});
    std::atomic<int> parts = 0;
    opened.read_rows("w", block,
                     [&](std::int64_t begin, std::int64_t end, const Checkpoint::ReadRows& rows) {
                       ++parts;
                       EXPECT_EQ(begin % block, 0);
                       EXPECT_TRUE(end % block == 0 || end == kRows) << end;
                       rows(wanted.slice_rows(begin, end));
                     });
    EXPECT_EQ(wanted.to_vector(), weights_.to_vector());
    EXPECT_EQ(parts > 1, block < kRows);
    EXPECT_NO_THROW(opened.require_intact());
  }
}

TEST_F(CheckedFileTest, RowsOfATensorInMemoryAreOnePart) {
  const Checkpoint loaded = load_checkpoint(path("a"));
  int parts = 0;
  const Tensor wanted = Tensor::zeros({kRows, kColumns});
  loaded.read_rows("w", 16, [&](std::int64_t begin, std::int64_t end, const auto& rows) {
    ++parts;
    rows(wanted.slice_rows(begin, end));
  });
  EXPECT_EQ(parts, 1);
  EXPECT_EQ(wanted.to_vector(), weights_.to_vector());
}

TEST_F(CheckedFileTest, NoticesDamageInWhatWasReadAndInWhatWasNot) {
  const auto read_w = [](const Checkpoint& checkpoint) {
    const Tensor wanted = Tensor::empty({kRows, kColumns});
    checkpoint.copy_to("w", wanted);
    return wanted.to_vector();
  };
  EXPECT_EQ(read_checkpoint(path("a"), read_w), weights_.to_vector());
  const std::string whole = read(path("a"));
  for (const char* const tensor : {"w", "other", "tokenizer"}) {
    write(path("a"), whole);
    damage(tensor);
    EXPECT_CONTAINS(data_error([&] { read_checkpoint(path("a"), read_w); }), "damaged: expected")
        << tensor;
  }
}

TEST_F(CheckedFileTest, ReadsTheFileOnceWhereAllOfItIsWanted) {
  const Tensor w = Tensor::empty({kRows, kColumns}), other = Tensor::empty({100'000});
  const Checkpoint opened = open_checkpoint(path("a"));
  opened.copy_to("w", w);
  opened.copy_to("other", other);
  damage("w");  // nobody reads it again
  EXPECT_NO_THROW(opened.require_intact());
}

TEST_F(CheckedFileTest, DamageExplainsWhyAModelCannotBeRead) {
  const auto fail = [](const Checkpoint&) -> int { throw ConfigError("the width is wrong"); };
  EXPECT_THROW(read_checkpoint(path("a"), fail), ConfigError);
  damage("other");
  EXPECT_CONTAINS(data_error([&] { read_checkpoint(path("a"), fail); }), "damaged: expected");
}

TEST_F(CheckedFileTest, SaysThatTheFileWasCutShortMeanwhile) {
  const Checkpoint opened = open_checkpoint(path("a"));
  std::filesystem::resize_file(path("a"), 1000);
  EXPECT_CONTAINS(data_error([&] {
                    opened.copy_to("w", Tensor::empty({kRows, kColumns}));
                  }),
                  "truncated");
  EXPECT_CONTAINS(data_error([&] { opened.require_intact(); }), "truncated");
}

}  // namespace
}  // namespace attend
