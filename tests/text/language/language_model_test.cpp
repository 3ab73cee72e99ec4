#include "attend/text/language/language_model.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <numeric>

#include "attend/error.h"
#include "core/files.h"

namespace attend::detail {
namespace {

std::string floats(std::initializer_list<float> numbers) {
  std::string bytes;
  for (const float number : numbers)
    for (std::uint32_t bits = std::bit_cast<std::uint32_t>(number), i = 0; i < 4; ++i, bits >>= 8)
      bytes.push_back(static_cast<char>(bits & 255));
  return bytes;
}

// Two vectors of two numbers: (7, 0) for hashes that begin with 0, (0, -7) for the others.
std::string small_model() {
  return "1 2 0.5 0.25\nde en und\n" + floats({1, 0, 0, 0, 2, 0}) + floats({0, 0, 1}) +
         std::string{char(0x8f), char(0x18)};
}

// The features of "ab" begin seven times with 0: the sums are 49 and -21, divided by sqrt(10).
TEST(LanguageModel, ComputesTheProbabilitiesOfItsFormula) {
  const std::string file = small_model();
  const std::vector<double> found = LanguageModel(file).probabilities("ab");
  const double de = 0.25 * 49 / std::sqrt(10), en = 0.25 * 2 * -21 / std::sqrt(10), und = 0.25;
  const double sum = std::exp(de) + std::exp(en) + std::exp(und);
  ASSERT_EQ(found.size(), 2U);
  EXPECT_NEAR(found[0], std::exp(de) / sum, 1e-9);
  EXPECT_NEAR(found[1], std::exp(en) / sum, 1e-9);
}

TEST(LanguageModel, KnowsNothingOfATextWithoutLetters) {
  EXPECT_TRUE(LanguageModel::instance().probabilities("12 + 3").empty());
}

TEST(LanguageModel, RefusesADamagedFile) {
  const std::string file = small_model();
  for (std::size_t size = 0; size < file.size(); ++size)
    EXPECT_THROW(LanguageModel(std::string_view(file).substr(0, size)), DataError) << size;
  EXPECT_THROW(LanguageModel("32 2 0.5 1\nde und\n"), DataError);
  EXPECT_THROW(LanguageModel("1 3 0.5 1\nde und\n"), DataError);
}

TEST(LanguageModel, OfTheLibraryKnowsManyLanguages) {
  const auto languages = LanguageModel::instance().languages();
  EXPECT_GE(languages.size(), 60U);
  EXPECT_TRUE(std::is_sorted(languages.begin(), languages.end()));
  for (const char* text : {"Hello", "Привет", "ok"}) {
    const std::vector<double> found = LanguageModel::instance().probabilities(text);
    EXPECT_LE(std::accumulate(found.begin(), found.end(), 0.0), 1 + 1e-9);
    EXPECT_GT(std::accumulate(found.begin(), found.end(), 0.0), 0.9) << text;
  }
}

TEST(LanguageModel, LeavesOtherScriptsToOtherLanguages) {
  const std::vector<double> found = LanguageModel::instance().probabilities("ᏣᎳᎩ ᎦᏬᏂᎯᏍᏗ");
  EXPECT_LT(std::accumulate(found.begin(), found.end(), 0.0), 0.1);
}

}  // namespace
}  // namespace attend::detail
