#include "attend/data/filter/reader.h"

#include <gtest/gtest.h>

#include "attend/error.h"
#include "core/files.h"
#include "core/gzip.h"

namespace attend {
namespace {

class PairReaderTest : public WithFiles {
 protected:
  static std::vector<TextPair> all(const PairFiles& files) {
    PairReader reader(files);
    std::vector<TextPair> pairs;
    for (TextPair pair; reader.next(pair);) pairs.push_back(pair);
    return pairs;
  }
  static std::vector<std::string> sides(const PairFiles& files) {
    std::vector<std::string> text;
    for (const TextPair& pair : all(files)) text.push_back(pair.src + "|" + pair.tgt + pair.rest);
    return text;
  }
};

using Sides = std::vector<std::string>;

TEST_F(PairReaderTest, ReadsParallelFiles) {
  EXPECT_EQ(sides({PairLayout::parallel, {write("en", "a\nb\n")}, {write("de", "A\nB")}}),
            (Sides{"a|A", "b|B"}));
}

TEST_F(PairReaderTest, ReadsSeveralFilesAfterOneAnother) {
  const PairFiles files{PairLayout::parallel,
                        {write("1.en", "a\nb\n"), write("2.en", "c\n")},
                        {write("1.de", "A\nB\n"), write("2.de", "C\n")}};
  EXPECT_EQ(sides(files), (Sides{"a|A", "b|B", "c|C"}));
  PairReader reader(files);
  TextPair pair;
  for (int i = 0; i < 3; ++i) ASSERT_TRUE(reader.next(pair));
  EXPECT_EQ(reader.where(pair), path("2.en") + ":1");
  EXPECT_FALSE(reader.next(pair));
  EXPECT_FALSE(reader.next(pair));
}

TEST_F(PairReaderTest, ReadsGzipAndCrlfAndAByteOrderMark) {
  EXPECT_EQ(sides({PairLayout::parallel,
                   {write("en.gz", gzip("a\nb\n"))},
                   {write("de",
                          "\xEF\xBB\xBF"
                          "A\r\nB\r\n")}}),
            (Sides{"a|A", "b|B"}));
}

TEST_F(PairReaderTest, KeepsEmptyLinesInTheirPlace) {
  EXPECT_EQ(sides({PairLayout::parallel, {write("en", "\n\nc\n")}, {write("de", "A\n\nC\n")}}),
            (Sides{"|A", "|", "c|C"}));
}

TEST_F(PairReaderTest, ReadsPairsSeparatedByTabs) {
  EXPECT_EQ(sides({PairLayout::tsv, {write("tsv", "a\tA\nb\tB\tc\td\n\tC\n")}, {}}),
            (Sides{"a|A", "b|B\tc\td", "|C"}));
}

TEST_F(PairReaderTest, FindsLinesOfPairsWithoutATab) {
  const auto pairs = all({PairLayout::tsv, {write("tsv", "a\tA\nno tab\nc\tC\n")}, {}});
  ASSERT_EQ(pairs.size(), 3u);
  EXPECT_EQ(pairs[0].fault, "");
  EXPECT_EQ(pairs[1].fault, path("tsv") + ":2: expected source, tab and target, found no tab");
  EXPECT_EQ(pairs[2].fault, "");
  EXPECT_EQ(pairs[2].tgt, "C");
}

TEST_F(PairReaderTest, ReadsTextAlone) {
  EXPECT_EQ(sides({PairLayout::single, {write("text", "a\tb\nc\n")}, {}}), (Sides{"a\tb|", "c|"}));
}

TEST_F(PairReaderTest, KeepsLinesParallelAcrossOnesThatAreNoText) {
  const PairFiles files{PairLayout::parallel,
                        {write("en", "a\nb\xff\nc\nd\n")},
                        {write("de", std::string("A\nB\nC\0\nD\n", 9))}};
  const auto pairs = all(files);
  ASSERT_EQ(pairs.size(), 4u);
  EXPECT_TRUE(contains(pairs[1].fault, path("en") + ":2: byte 2")) << pairs[1].fault;
  EXPECT_TRUE(contains(pairs[2].fault, path("de") + ":3: ")) << pairs[2].fault;
  EXPECT_EQ(pairs[3].src + pairs[3].tgt + pairs[3].fault, "dD");
}

TEST_F(PairReaderTest, NamesBothCountsOfUnequalFiles) {
  for (const bool swapped : {false, true}) {
    std::string longer = write("long", "a\nb\nc\xff\nd\n"), shorter = write("short", "A\nB\n");
    if (swapped) longer.swap(shorter);
    const std::string message = message_of<DataError>([&] {
      all({PairLayout::parallel, {longer}, {shorter}});
    });
    EXPECT_TRUE(contains(message, swapped ? longer + " has 2 lines but " + shorter + " has 4"
                                          : longer + " has 4 lines but " + shorter + " has 2"))
        << message;
  }
}

TEST_F(PairReaderTest, RefusesMissingFiles) {
  const std::string en = write("en", "a\n");
  EXPECT_THROW(PairReader({PairLayout::parallel, {}, {}}), ConfigError);
  EXPECT_THROW(PairReader({PairLayout::parallel, {en}, {}}), ConfigError);
  EXPECT_THROW(PairReader({PairLayout::parallel, {en}, {en, en}}), ConfigError);
  EXPECT_THROW(PairReader({PairLayout::single, {}, {}}), ConfigError);
  // Before anything is read.
  const std::string message = message_of<IoError>([&] {
    PairReader({PairLayout::single, {en, path("none")}, {}});
  });
  EXPECT_TRUE(contains(message, path("none"))) << message;
  EXPECT_THROW(PairReader({PairLayout::parallel, {en, en}, {en, path("none")}}), IoError);
}

TEST_F(PairReaderTest, PassesOnWhatIsWrongWithAWholeFile) {
  EXPECT_THROW(all({PairLayout::single, {write("cut.gz", gzip("a\nb\n").substr(0, 15))}, {}}),
               DataError);
  EXPECT_THROW(all({PairLayout::single, {write("empty", "")}, {}}), DataError);
}

}  // namespace
}  // namespace attend
