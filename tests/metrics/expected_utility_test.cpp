#include "attend/metrics/expected_utility.h"

#include <gtest/gtest.h>

#include <random>

#include "attend/core/threads/runtime.h"
#include "attend/metrics.h"

namespace attend {
namespace {

const std::vector<std::string> kPieces{"the ", "old", " dog", "  ",     "ß",      "é",
                                       "日本", ", ",  "1.5",  "€",      "'s",     "\t",
                                       "-",    "a",   " a",   "\u00a0", "&quot;", "."};

// Texts of many scripts and marks, some of them equal, one empty.
std::vector<std::string> generated_texts(int count, unsigned seed) {
  std::mt19937 random(seed);
  std::vector<std::string> texts{""};
  while (std::ssize(texts) < count) {
    std::string text;
    for (unsigned i = random() % 12; i > 0; --i) text += kPieces[random() % kPieces.size()];
    texts.push_back(text);
    if (random() % 3 == 0) texts.push_back(text);
  }
  return texts;
}

double score_of(Utility utility, const std::string& text, const std::string& reference) {
  const std::vector<std::string> references{reference};
  return utility == Utility::chrf ? sentence_chrf(text, references)
                                  : sentence_bleu(text, references).score;
}

TEST(ExpectedUtility, IsTheWeightedSumOfSentenceScores) {
  for (const Utility utility : {Utility::chrf, Utility::bleu}) {
    for (unsigned seed = 1; seed <= 20; ++seed) {
      const std::vector<std::string> texts = generated_texts(12, seed);
      std::vector<double> weights;
      for (std::size_t i = 0; i < texts.size(); ++i)
        weights.push_back(0.25 + static_cast<double>(i));
      const std::vector<double> found = expected_utilities(pair_utility(utility), texts, weights);
      ASSERT_EQ(found.size(), texts.size());
      for (std::size_t h = 0; h < texts.size(); ++h) {
        double expected = 0;
        for (std::size_t r = 0; r < texts.size(); ++r)
          expected += weights[r] * score_of(utility, texts[h], texts[r]);
        EXPECT_NEAR(found[h], expected, 1e-9 * (1 + expected)) << texts[h];
      }
    }
  }
}

TEST(ExpectedUtility, IsTheSameWithAnyNumberOfThreads) {
  const std::vector<std::string> texts = generated_texts(50, 3);
  const std::vector<double> weights(texts.size(), 1. / static_cast<double>(texts.size()));
  std::vector<std::vector<double>> found;
  for (const int threads : {1, 3}) {
    const RuntimeScope runtime({.threads = threads});
    found.push_back(expected_utilities(pair_utility(Utility::chrf), texts, weights));
  }
  EXPECT_EQ(found[0], found[1]);
}

TEST(ExpectedUtility, LeavesATextOutOfItsOwnReferences) {
  const std::vector<std::string> texts = generated_texts(9, 5);
  std::vector<double> weights;
  const double count = static_cast<double>(texts.size());
  for (std::size_t i = 0; i < texts.size(); ++i)
    weights.push_back(2 * (static_cast<double>(i) + 1) / count / (count + 1));
  const std::vector<double> found =
      expected_utilities(pair_utility(Utility::bleu), texts, weights, ComparedWith::others);
  for (std::size_t h = 0; h < texts.size(); ++h) {
    double expected = 0;
    for (std::size_t r = 0; r < texts.size(); ++r)
      if (r != h) expected += weights[r] * score_of(Utility::bleu, texts[h], texts[r]);
    EXPECT_NEAR(found[h], expected / (1 - weights[h]), 1e-9 * (1 + expected)) << texts[h];
  }
  const std::vector<std::string> one{"a"};
  EXPECT_EQ(expected_utilities(pair_utility(Utility::chrf), one, std::vector<double>{1.0},
                               ComparedWith::others),
            std::vector<double>{0});
}

TEST(ExpectedUtility, OfNoTextIsNone) {
  EXPECT_TRUE(expected_utilities(pair_utility(Utility::bleu), {}, {}).empty());
}

}  // namespace
}  // namespace attend
