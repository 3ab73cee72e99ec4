#include "attend/data/related_texts.h"

#include <gtest/gtest.h>

#include "attend/error.h"
#include "core/files.h"
#include "data/ids.h"

namespace attend {
namespace {

using TextFiles = std::vector<std::string>;

class RelatedFiles : public WithFiles {
 protected:
  RelatedTexts read(const std::string& name, const std::string& content,
                    RelatedOptions options = {}) const {
    return read_related(TextFiles{write(name, content)}, options);
  }
  std::string complaint(const std::string& name, const std::string& content,
                        const RelatedOptions& options = {}) const {
    return message_of<DataError>([&] { read(name, content, options); });
  }
  static RelatedOptions of(TextRelation relation) {
    RelatedOptions options;
    options.relation = relation;
    return options;
  }
};

TEST_F(RelatedFiles, HoldEveryTextOnce) {
  const RelatedTexts related = read("a", "one\teins\ntwo\tzwei\none\tein\ntwo\tzwei\n");
  EXPECT_EQ(related.texts, (TextFiles{"one", "eins", "two", "zwei", "ein"}));
  ASSERT_EQ(related.tuples.size(), 3u);
  EXPECT_EQ(related.tuples[2].anchor, 0);
  EXPECT_EQ(related.tuples[2].positive, 4);
  EXPECT_EQ(related.tuples[2].negative, -1);
  EXPECT_EQ(related.repeated, 1);
  EXPECT_FALSE(related.are_labeled());
}

TEST_F(RelatedFiles, HaveColumnsByName) {
  const RelatedTexts by_default = read("a.csv", "positive,anchor,x\neins,one,1\nzwei,two,2\n");
  EXPECT_EQ(by_default.texts, (TextFiles{"one", "eins", "two", "zwei"}));
  RelatedOptions options;
  options.pair.anchor = "en";
  options.pair.positive = "de";
  const RelatedTexts chosen = read(
      "a.jsonl", "{\"de\":\"eins\",\"en\":\"one\"}\n{\"en\":\"two\",\"de\":\"zwei\"}\n", options);
  EXPECT_EQ(chosen.texts, by_default.texts);
}

TEST_F(RelatedFiles, HaveATextThatDoesNotBelong) {
  const RelatedTexts related =
      read("a", "one\teins\tzwei\ntwo\tzwei\teins\n", of(TextRelation::triplets));
  ASSERT_EQ(related.tuples.size(), 2u);
  EXPECT_EQ(related.texts[static_cast<std::size_t>(related.tuples[0].negative)], "zwei");
  EXPECT_EQ(related.texts[static_cast<std::size_t>(related.tuples[1].negative)], "eins");
  EXPECT_TRUE(contains(complaint("b", "one\teins\teins\n", of(TextRelation::triplets)),
                       "b:1: the negative is the same text as the positive"));
  EXPECT_TRUE(contains(complaint("b", "one\teins\n", of(TextRelation::triplets)),
                       "b:1: expected at least 3 columns"));
}

TEST_F(RelatedFiles, HaveLabels) {
  const RelatedTexts related =
      read("a", "x\tone\ny\ttwo\nx\tthree\nx\tone\ny\tone\n", of(TextRelation::labeled));
  EXPECT_EQ(related.texts, (TextFiles{"one", "two", "three", "one"}));
  EXPECT_EQ(related.labels, (TokenIds{0, 1, 0, 1}));
  EXPECT_EQ(related.repeated, 1);
  EXPECT_TRUE(related.are_labeled());
  EXPECT_EQ(related.first_equal(), (TokenIds{0, 1, 2, 0})) << "one has two labels";
  RelatedOptions turned = of(TextRelation::labeled);
  turned.label_column = "2";
  turned.text_column = "1";
  EXPECT_EQ(read("b", "one\tx\ntwo\tx\nthree\ty\n", turned).labels, (TokenIds{0, 0, 1}));
}

TEST_F(RelatedFiles, WithoutAnythingToLearnAreRefused) {
  EXPECT_TRUE(contains(complaint("a", "one\teins\none\teins\n"),
                       "expected two or more different pairs, found 1"));
  EXPECT_TRUE(
      contains(complaint("a", "a\tb\tc\n", of(TextRelation::triplets)), "triplets, found 1"));
  EXPECT_TRUE(contains(complaint("a", "x\tone\nx\ttwo\n", of(TextRelation::labeled)),
                       "two or more labels, found 1"));
  EXPECT_TRUE(contains(complaint("a", "x\tone\ny\ttwo\n", of(TextRelation::labeled)),
                       "expected texts that share a label"));
  EXPECT_THROW(read_related(TextFiles{}, {}), ConfigError);
}

TEST_F(RelatedFiles, NameTheLineOfABlankCell) {
  EXPECT_TRUE(contains(complaint("a", "one\teins\ntwo\t \n"), "a:2: the positive is empty"));
  EXPECT_TRUE(contains(complaint("a", "one\teins\n\tzwei\n"), "a:2: the anchor is empty"));
}

TEST_F(RelatedFiles, HaveScores) {
  const ScoredTexts scored =
      read_scored(TextFiles{write("a", "one\ttwo\t0.5\ntwo\tthree\t-1e2\n")}, {});
  EXPECT_EQ(scored.texts, (TextFiles{"one", "two", "three"}));
  ASSERT_EQ(scored.pairs.size(), 2u);
  EXPECT_EQ(scored.pairs[1].first, 1);
  EXPECT_EQ(scored.pairs[1].second, 2);
  EXPECT_EQ(scored.pairs[1].score, -100.0);
  RelatedOptions options;
  options.pair.score = "1";
  options.pair.anchor = "2";
  options.pair.positive = "3";
  EXPECT_EQ(
      read_scored(TextFiles{write("b", "1\tone\ttwo\n2\tone\ttwo\n")}, options).pairs[1].score,
      2.0);
}

TEST_F(RelatedFiles, WithoutNumbersAsScoresAreRefused) {
  for (const char* cell : {"good", "1,5", "nan", "inf", "0.5x"})
    EXPECT_TRUE(contains(
        message_of<DataError>([&] {
          read_scored(TextFiles{write("a", std::string("one\ttwo\t1\none\ttwo\t") + cell + "\n")},
                      {});
        }),
        "a:2: expected a number as the score"))
        << cell;
  EXPECT_TRUE(contains(
      message_of<DataError>([&] { read_scored(TextFiles{write("a", "a\tb\t1\nb\tc\t1\n")}, {}); }),
      "different scores"));
}

}  // namespace
}  // namespace attend
