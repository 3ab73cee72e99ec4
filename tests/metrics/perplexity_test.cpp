#include "attend/metrics.h"

#include <gtest/gtest.h>

#include <cmath>

#include "attend/error.h"

namespace attend {
namespace {

TEST(Perplexity, OfAUniformModelIsTheSizeOfItsVocabulary) {
  Perplexity perplexity;
  perplexity.add(3 * std::log(50.0), 3);
  perplexity.add(7 * std::log(50.0), 7);
  EXPECT_NEAR(perplexity.per_token(), 50, 1e-9);
  EXPECT_NEAR(perplexity.bits_per_token(), std::log2(50.0), 1e-12);
}

// Words of several tokens each are less likely than the tokens: exp(20 / 5) instead of exp(20 /
// 10).
TEST(Perplexity, PerWordSharesTheSameLikelihood) {
  Perplexity perplexity;
  perplexity.add(20, 10, 5);
  EXPECT_NEAR(perplexity.per_token(), std::exp(2.0), 1e-9);
  EXPECT_NEAR(perplexity.per_word(), std::exp(4.0), 1e-9);
}

TEST(Perplexity, PerCharacterIsInBits) {
  Perplexity perplexity;
  perplexity.add(3 * std::log(2.0), 2, 0, 4);
  perplexity.add(5 * std::log(2.0), 2, 0, 1);
  EXPECT_NEAR(perplexity.bits_per_character(), 8.0 / 5, 1e-12);
}

TEST(Perplexity, NeedsSomethingToCount) {
  Perplexity perplexity;
  EXPECT_THROW(perplexity.per_token(), ConfigError);
  perplexity.add(1, 1);
  EXPECT_THROW(perplexity.per_word(), ConfigError);
  EXPECT_THROW(perplexity.bits_per_character(), ConfigError);
}

}  // namespace
}  // namespace attend
