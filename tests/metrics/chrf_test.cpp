#include "attend/metrics/chrf.h"

#include <gtest/gtest.h>

#include "attend/error.h"
#include "metrics/goldens.h"

namespace attend {
namespace {

TEST(Chrf, EqualsSacrebleu) {
  ASSERT_FALSE(goldens::kChrf.empty());
  for (const auto& golden : goldens::kChrf) {
    ChrfOptions options;
    options.char_order = golden.char_order;
    options.word_order = golden.word_order;
    options.beta = golden.beta;
    options.lowercase = golden.lowercase;
    SCOPED_TRACE(golden.corpus + ": " + golden.name + "|" + golden.signature);
    const References references(goldens::kReferences.begin(),
                                goldens::kReferences.begin() + golden.references);
    EXPECT_NEAR(corpus_chrf(goldens::kCorpora.at(golden.corpus), references, options), golden.score,
                1e-9);
    EXPECT_EQ(chrf_name(options), golden.name);
    EXPECT_EQ(chrf_signature(options, static_cast<std::size_t>(golden.references)),
              golden.signature);
  }
}

TEST(Chrf, OfASentenceEqualsSacrebleu) {
  ChrfOptions plus;
  plus.word_order = 2;
  for (const auto& golden : goldens::kSentences) {
    EXPECT_NEAR(sentence_chrf(golden.hypothesis, golden.references), golden.chrf, 1e-9)
        << golden.hypothesis;
    EXPECT_NEAR(sentence_chrf(golden.hypothesis, golden.references, plus), golden.chrf_plus, 1e-9)
        << golden.hypothesis;
  }
}

// "abcd" against "abd": unigrams 3/4 and 3/3, bigrams 1/3 and 1/2, trigrams 0/2 and 0/1.
TEST(Chrf, FollowsItsFormula) {
  ChrfOptions options;
  options.char_order = 3;
  options.beta = 1;
  const double precision = (3.0 / 4 + 1.0 / 3 + 0) / 3, recall = (1.0 + 1.0 / 2 + 0) / 3;
  EXPECT_NEAR(sentence_chrf("ab cd", std::vector<std::string>{"a bd"}, options),
              200 * precision * recall / (precision + recall), 1e-9);
}

TEST(Chrf, RefusesWrongOptionsAndTexts) {
  const std::vector<std::string> one{"a"};
  EXPECT_THROW(corpus_chrf(one, {one}, {.char_order = 0}), ConfigError);
  EXPECT_THROW(corpus_chrf(one, {one}, {.word_order = -1}), ConfigError);
  EXPECT_THROW(corpus_chrf(one, {one}, {.beta = -1}), ConfigError);
  EXPECT_THROW(corpus_chrf(one, {{"a", "b"}}), DataError);
  EXPECT_THROW(corpus_chrf(std::vector<std::string>{"a@@ b"}, {one}), DataError);
}

}  // namespace
}  // namespace attend
