#include "attend/data/filter/writer.h"

#include <gtest/gtest.h>

#include <filesystem>

#include "attend/core/files/lines.h"
#include "attend/error.h"
#include "core/files.h"

namespace attend {
namespace {

using Lines = std::vector<std::string>;

class PairWriterTest : public WithFiles {
 protected:
  static TextPair pair(const std::string& src, const std::string& tgt,
                       const std::string& rest = "") {
    TextPair pair;
    pair.src = src;
    pair.tgt = tgt;
    pair.rest = rest;
    return pair;
  }
};

TEST_F(PairWriterTest, WritesParallelFiles) {
  PairWriter writer({path("en"), path("de"), "", ""}, PairLayout::parallel);
  writer.keep(pair("a", "A"));
  writer.keep(pair("b", "B"));
  writer.commit();
  EXPECT_EQ(read_lines(path("en")), (Lines{"a", "b"}));
  EXPECT_EQ(read_lines(path("de")), (Lines{"A", "B"}));
}

TEST_F(PairWriterTest, WritesPairsWithTheirFurtherColumns) {
  PairWriter writer({path("tsv"), "", "", ""}, PairLayout::tsv);
  writer.keep(pair("a", "A", "\t0.5\turl"));
  writer.keep(pair("b", "B"));
  writer.commit();
  EXPECT_EQ(read_lines(path("tsv")), (Lines{"a\tA\t0.5\turl", "b\tB"}));
}

TEST_F(PairWriterTest, SetsATagBeforeSources) {
  for (const PairLayout layout : {PairLayout::parallel, PairLayout::tsv, PairLayout::single}) {
    PairWriter writer({path("src"), path("tgt"), "", "<bt>"}, layout);
    writer.keep(pair("a b", layout == PairLayout::single ? "" : "A"));
    writer.commit();
    EXPECT_EQ(read_lines(path("src")),
              (Lines{layout == PairLayout::tsv ? "<bt> a b\tA" : "<bt> a b"}));
  }
  EXPECT_EQ(read_lines(path("tgt")), (Lines{"A"}));
}

TEST_F(PairWriterTest, RefusesATagOfSeveralWords) {
  for (const char* tag : {"a b", " <bt>", "<bt>\n", "\t"})
    EXPECT_THROW(PairWriter({path("a"), path("b"), "", tag}, PairLayout::parallel), ConfigError);
  EXPECT_TRUE(std::filesystem::is_empty(folder_));
}

TEST_F(PairWriterTest, WritesDroppedLinesWithTheirRule) {
  PairWriter writer({path("en"), path("de"), path("rejected"), "<bt>"}, PairLayout::parallel);
  writer.reject(pair("a\tb", "A"), FilterRule::max_words, "x.en:7");
  TextPair fault = pair("", "B");
  fault.fault = "x.en:9: no text";
  writer.reject(fault, FilterRule::not_text, "x.en:9");
  writer.commit();
  EXPECT_EQ(read_lines(path("rejected")),
            (Lines{"x.en:7\tmax-words\ta b\tA", "x.en:9\tnot-text\tx.en:9: no text"}));
}

TEST_F(PairWriterTest, WritesDroppedSingleLines) {
  PairWriter writer({path("text"), "", path("rejected"), ""}, PairLayout::single);
  writer.reject(pair("a", ""), FilterRule::unique, "x:2");
  writer.commit();
  EXPECT_EQ(read_lines(path("rejected")), (Lines{"x:2\tunique\ta"}));
}

TEST_F(PairWriterTest, WritesEmptyFilesIfNothingIsKept) {
  PairWriter writer({path("en"), path("de"), "", ""}, PairLayout::parallel);
  writer.commit();
  EXPECT_EQ(std::filesystem::file_size(path("en")), 0u);
  EXPECT_EQ(std::filesystem::file_size(path("de")), 0u);
}

TEST_F(PairWriterTest, LeavesNothingWithoutACommit) {
  {
    PairWriter writer({path("en"), path("de"), path("rejected"), ""}, PairLayout::parallel);
    writer.keep(pair("a", "A"));
  }
  EXPECT_TRUE(std::filesystem::is_empty(folder_));
}

TEST_F(PairWriterTest, RefusesTheSameFileTwice) {
  EXPECT_THROW(PairWriter({path("a"), path("a"), "", ""}, PairLayout::parallel), ConfigError);
  EXPECT_THROW(PairWriter({path("a"), path("b"), path("./b"), ""}, PairLayout::parallel),
               ConfigError);
  EXPECT_TRUE(std::filesystem::is_empty(folder_));
}

TEST_F(PairWriterTest, RefusesADevice) {
  const std::string message = message_of<IoError>([&] {
    PairWriter({path("en"), "/dev/full", "", ""}, PairLayout::parallel);
  });
  EXPECT_TRUE(contains(message, "/dev/full")) << message;
  EXPECT_TRUE(std::filesystem::is_empty(folder_));
}

}  // namespace
}  // namespace attend
