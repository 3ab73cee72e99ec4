#include "attend/data/corpus.h"

#include <gtest/gtest.h>

#include "attend/core/files/lines.h"
#include "attend/core/options/option_fields.h"
#include "attend/error.h"
#include "core/files.h"
#include "core/scoped_threads.h"
#include "data/ids.h"

namespace attend {
namespace {

using Files = std::vector<std::string>;

class Corpus : public WithFiles {};

TEST_F(Corpus, JoinsSeveralFilesInOrder) {
  const Files src{write("1.de", "eins\nzwei\n"), write("2.de", "drei\n")};
  const Files tgt{write("1.en", "one\ntwo\n"), write("2.en", "three")};
  const ParallelText text = read_parallel(src, tgt);
  EXPECT_EQ(text.src, (Files{"eins", "zwei", "drei"}));
  EXPECT_EQ(text.tgt, (Files{"one", "two", "three"}));
}

TEST_F(Corpus, KeepsEmptyLinesSoThatLinesStayAligned) {
  const ParallelText text =
      read_parallel(Files{write("a", "eins\n\ndrei\n")}, Files{write("b", "one\ntwo\n\n")});
  EXPECT_EQ(text.src, (Files{"eins", "", "drei"}));
  EXPECT_EQ(text.tgt, (Files{"one", "two", ""}));
}

TEST_F(Corpus, NamesBothFilesAndCountsWhenTheyDiffer) {
  const std::string src = write("a", "1\n2\n3\n4\n5\n");
  const std::string tgt = write("b", "1\n2\n3\n");
  const std::string shorter_target =
      message_of<DataError>([&] { read_parallel(Files{src}, Files{tgt}); });
  EXPECT_TRUE(contains(shorter_target, src + " has 5 lines but " + tgt + " has 3"))
      << shorter_target;
  const std::string shorter_source =
      message_of<DataError>([&] { read_parallel(Files{tgt}, Files{src}); });
  EXPECT_TRUE(contains(shorter_source, tgt + " has 3 lines but " + src + " has 5"))
      << shorter_source;
}

TEST_F(Corpus, DoesNotLetOneFileMakeUpForAnother) {
  const Files src{write("1.de", "a\nb\n"), write("2.de", "c\n")};
  const Files tgt{write("1.en", "a\n"), write("2.en", "b\nc\n")};
  EXPECT_THROW(read_parallel(src, tgt), DataError);
}

TEST_F(Corpus, IsReadInPartsThatKnowTheirLines) {
  const Files src{write("1.de", "a\nb\nc\n"), write("2.de", "d\ne\n")};
  const Files tgt{write("1.en", "A\nB\nC\n"), write("2.en", "D\nE\n")};
  const ParallelText whole = read_parallel(src, tgt);
  for (const std::int64_t most : {1, 2, 3, 4, 5, 9}) {
    ParallelReader reader(src, tgt);
    ParallelText part;
    std::int64_t line = 0;
    while (reader.read(most, part)) {
      ASSERT_LE(std::ssize(part.src), most);
      for (std::size_t i = 0; i < part.src.size(); ++i, ++line) {
        EXPECT_EQ(part.src[i], whole.src[static_cast<std::size_t>(line)]);
        EXPECT_EQ(part.tgt[i], whole.tgt[static_cast<std::size_t>(line)]);
        EXPECT_EQ(part.where(static_cast<std::int64_t>(i)), whole.where(line)) << most;
      }
    }
    EXPECT_EQ(line, 5);
    EXPECT_TRUE(part.src.empty());
    EXPECT_FALSE(reader.read(most, part)) << "the end stays the end";
  }
}

TEST_F(Corpus, IsReadInPartsUpToALineThatHasNoTranslation) {
  ParallelReader reader(Files{write("a", "1\n2\n3\n4\n")}, Files{write("b", "1\n2\n3\n")});
  ParallelText part;
  EXPECT_TRUE(reader.read(2, part));
  const std::string message = message_of<DataError>([&] { reader.read(2, part); });
  EXPECT_TRUE(contains(message, "a has 4 lines") && contains(message, "b has 3")) << message;
}

TEST_F(Corpus, NeedsAsManyTargetFilesAsSourceFiles) {
  const std::string file = write("a", "a\n");
  EXPECT_THROW(read_parallel(Files{file, file}, Files{file}), ConfigError);
  EXPECT_THROW(read_parallel(Files{}, Files{}), ConfigError);
}

TEST_F(Corpus, PointsAtTheLineWithInvalidText) {
  const std::string bad = write("bad", "fine\nschr\xF6tig\n");
  const std::string message =
      message_of<DataError>([&] { read_parallel(Files{write("a", "1\n2\n")}, Files{bad}); });
  EXPECT_TRUE(contains(message, bad + ":2")) << message;
}

TEST_F(Corpus, CountsWhatItLeavesOut) {
  const Tokenizer tokenizer = characters();
  //                      kept   no src  no tgt  neither  blank src  long src      long tgt kept: 7
  //                      + meta + eos = 9
  const ParallelText text{{"ab", "", "a", "", "   ", "abcdefghi", "ab", "abcdefg"},
                          {"a", "a", "", "", "a", "abc", "abcdefghij", "abcdefg"}};
  LengthOptions options;
  options.max_length = 9;
  ReadReport report;
  const EncodedPairs pairs = encode_parallel(text, tokenizer, tokenizer, options, report);
  EXPECT_EQ(report.pairs, 8);
  EXPECT_EQ(report.empty_src, 3);
  EXPECT_EQ(report.empty_tgt, 1);
  EXPECT_EQ(report.over_long, 2);
  EXPECT_EQ(report.truncated, 0);
  EXPECT_EQ(report.kept, 2);
  EXPECT_EQ(pairs.src.sequences(), 2);
  EXPECT_EQ(pairs.tgt.sequences(), 2);
  EXPECT_EQ(tokenizer.decode(pairs.src[1]), "abcdefg");
  EXPECT_EQ(
      report.summary(),
      "8 pairs: 2 kept; skipped: 3 with an empty source, 1 with an empty target, 2 over-long");
}

TEST_F(Corpus, SaysWhereTheFirstOverLongPairIs) {
  const Files src{write("a", "ab\nab\n"), write("b", "ab\nabcdefghi\nabcdefghi\n")},
      tgt{write("c", "ab\nab\n"), write("d", "a\nb\nc\n")};
  const ParallelText text = read_parallel(src, tgt);
  EXPECT_EQ(text.where(0), src[0] + ":1");
  EXPECT_EQ(text.where(1), src[0] + ":2");
  EXPECT_EQ(text.where(2), src[1] + ":1");
  EXPECT_EQ(text.where(4), src[1] + ":3");
  EXPECT_EQ((ParallelText{{"a"}, {"b"}}.where(0)), "");
  LengthOptions options;
  options.max_length = 5;
  ReadReport report;
  const EncodedPairs pairs = encode_parallel(text, characters(), characters(), options, report);
  EXPECT_EQ(report.summary(),
            "5 pairs: 3 kept; skipped: 2 over-long (the first: " + src[1] + ":2)");
  EXPECT_EQ(pairs.origin, (std::vector<std::int32_t>{0, 1, 2}));
  options.over_long = OverLong::truncate;
  ReadReport of_truncation;
  EXPECT_EQ(encode_parallel(text, characters(), characters(), options, of_truncation).origin,
            (std::vector<std::int32_t>{0, 1, 2, 3, 4}));
  EXPECT_EQ(
      of_truncation.summary(),
      "5 pairs: 5 kept (2 of them truncated to the maximum length, the first: " + src[1] + ":2)");
}

TEST_F(Corpus, TruncatesWhenAsked) {
  const Tokenizer tokenizer = characters();
  const ParallelText text{{"ab", "abcdefghi"}, {"abcdefghi", "ab"}};
  LengthOptions options;
  options.max_length = 5;
  options.over_long = OverLong::truncate;
  ReadReport report;
  const EncodedPairs pairs = encode_parallel(text, tokenizer, tokenizer, options, report);
  EXPECT_EQ(report.kept, 2);
  EXPECT_EQ(report.truncated, 2);
  EXPECT_EQ(tokenizer.decode(pairs.src[0]), "ab");
  EXPECT_EQ(tokenizer.decode(pairs.tgt[0]), "abc");  // with meta symbol and eos: 5
  EXPECT_EQ(tokenizer.decode(pairs.src[1]), "abc");
  EXPECT_EQ(report.summary(), "2 pairs: 2 kept (2 of them truncated to the maximum length)");
}

TEST_F(Corpus, ChecksTheMaximalLength) {
  LengthOptions options;
  options.max_length = 1;
  EXPECT_THROW(check_options(options), ConfigError);
}

TEST_F(Corpus, EncodesTheSameWithAnyNumberOfThreads) {
  const Tokenizer tokenizer = characters();
  std::vector<std::string> texts;
  for (int i = 0; i < 1000; ++i)
    texts.push_back(std::string(1 + i % 17, static_cast<char>('a' + i % 26)));
  const auto with_threads = [&](int threads) {
    const ScopedThreads scope(threads);
    return encode_all(texts, tokenizer);
  };
  const auto alone = with_threads(1);
  EXPECT_EQ(alone, with_threads(3));
  EXPECT_EQ(alone[1], tokenizer.encode(texts[1]));
}

TEST_F(Corpus, ReadsMulti30k) {
  const std::string src = real_data("multi30k/train.en");
  const std::string tgt = real_data("multi30k/train.de");
  if (!std::filesystem::exists(src)) GTEST_SKIP() << "no Multi30k at " << src;
  const ParallelText text = read_parallel(Files{src}, Files{tgt});
  EXPECT_EQ(text.src.size(), 29000u);
  EXPECT_EQ(text.tgt.size(), 29000u);
  EXPECT_EQ(text.src[0], "Two young, White males are outside near many bushes.");

  const ParallelText part{{text.src.begin(), text.src.begin() + 1000},
                          {text.tgt.begin(), text.tgt.begin() + 1000}};
  ReadReport report;
  const EncodedPairs pairs = encode_parallel(part, characters(), characters(), {}, report);
  EXPECT_EQ(report.pairs, 1000);
  EXPECT_EQ(report.empty_src + report.empty_tgt, 0);
  EXPECT_EQ(report.over_long + report.kept, 1000);
  EXPECT_EQ(pairs.src.sequences(), report.kept);
}

}  // namespace
}  // namespace attend
