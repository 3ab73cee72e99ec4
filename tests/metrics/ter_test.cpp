#include "attend/metrics/ter.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "attend/error.h"
#include "metrics/goldens.h"

namespace attend {
namespace {

double ter(const std::string& hypothesis, const std::string& reference) {
  return sentence_ter(hypothesis, std::vector<std::string>{reference});
}

TEST(Ter, EqualsSacrebleu) {
  ASSERT_FALSE(goldens::kTer.empty());
  for (const auto& golden : goldens::kTer) {
    const TerOptions options{golden.normalized, golden.no_punct, golden.asian_support,
                             golden.case_sensitive};
    SCOPED_TRACE(golden.corpus + "|" + golden.signature);
    std::vector<std::string> rotated = goldens::kCorpora.at("lines");
    std::rotate(rotated.begin(), rotated.begin() + 7, rotated.end());
    const References references =
        golden.corpus == "lines" ? References{rotated}
                                 : References(goldens::kReferences.begin(),
                                              goldens::kReferences.begin() + golden.references);
    EXPECT_NEAR(corpus_ter(goldens::kCorpora.at(golden.corpus), references, options), golden.score,
                1e-9);
    EXPECT_EQ(ter_signature(options, static_cast<std::size_t>(golden.references)),
              golden.signature);
  }
}

TEST(Ter, EqualsSacrebleuForLongLinesWithMovedWords) {
  EXPECT_NEAR(corpus_ter(goldens::kMovedWords, {goldens::kManyWords}), goldens::kMovedTer, 1e-9);
}

TEST(Ter, CountsAMoveOfSeveralWordsOnce) {
  EXPECT_DOUBLE_EQ(ter("a b c d e f", "d e f a b c"), 100.0 / 6);
  EXPECT_DOUBLE_EQ(ter("a b c", "a x c d"), 50) << "a word replaced, one put in";
  EXPECT_DOUBLE_EQ(ter("a b c d", "a b"), 100);
}

// sacreBLEU counts 39 edits; with four times as many tries it would find 35.
TEST(Ter, GivesUpWhereThereIsTooMuchToTry) {
  std::string hypothesis, reference;
  for (int i = 0; i < 60; ++i) {
    reference += {static_cast<char>('a' + (i * i + i / 3) % 3), ' '};
    hypothesis += {static_cast<char>('a' + (i * i * i + i) % 3), ' '};
  }
  EXPECT_DOUBLE_EQ(ter(hypothesis, reference), 100.0 * 39 / 60);
}

TEST(Ter, OfNothingIsAllOrNothing) {
  EXPECT_EQ(ter("", ""), 0);
  EXPECT_EQ(ter("a b", ""), 100);
  EXPECT_EQ(ter("", "a b"), 100);
}

TEST(Ter, TakesTheNearestReferenceAndTheirMeanLength) {
  EXPECT_DOUBLE_EQ(sentence_ter("a b", std::vector<std::string>{"a b c d", "a c"}), 100.0 / 3);
}

TEST(Ter, RefusesWhatOtherMetricsRefuse) {
  EXPECT_THROW(corpus_ter(std::vector<std::string>{"a"}, {{"a", "b"}}), DataError);
  EXPECT_THROW(corpus_ter(std::vector<std::string>{"a@@ b"}, {{"a b"}}), DataError);
  EXPECT_THROW(ter_from_counts(std::vector<std::int64_t>{1}, 1), ConfigError);
}

}  // namespace
}  // namespace attend
