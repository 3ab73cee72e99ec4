#include "attend/data/noise/word_noise.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <sstream>
#include <string>
#include <vector>

namespace attend {
namespace {

std::vector<std::string> words_of_noise(const std::string& text) {
  std::istringstream words(text);
  return {std::istream_iterator<std::string>(words), {}};
}

// The numbers from 0 on.
std::string numbers_up_to(int count) {
  std::string text;
  for (int i = 0; i < count; ++i) text += fmt::format(" {}", i);
  return text;
}

std::string with_noise_of(const std::string& text, const WordNoise& noise, std::uint64_t seed = 1) {
  Random random({seed, 0});
  return with_word_noise(text, noise, random);
}

TEST(WordNoise, LeavesOutAShareOfTheWords) {
  const std::vector<std::string> left =
      words_of_noise(with_noise_of(numbers_up_to(10'000), {.drop = 0.2}));
  EXPECT_NEAR(static_cast<double>(left.size()), 8000, 200);
  for (std::size_t i = 1; i < left.size(); ++i)
    EXPECT_LT(std::stoi(left[i - 1]), std::stoi(left[i]));
}

TEST(WordNoise, PutsBlanksInPlaceOfAShareOfTheWords) {
  const std::vector<std::string> words =
      words_of_noise(with_noise_of(numbers_up_to(10'000), {.blank = 0.1}));
  ASSERT_EQ(words.size(), 10'000u);
  const auto blanks = std::count(words.begin(), words.end(), kBlankWord);
  EXPECT_NEAR(static_cast<double>(blanks), 1000, 150);
  for (std::size_t i = 0; i < words.size(); ++i)
    EXPECT_TRUE(words[i] == kBlankWord || words[i] == std::to_string(i)) << words[i];
}

TEST(WordNoise, MovesNoWordFartherThanItMay) {
  for (const int swap : {1, 3}) {
    const std::vector<std::string> words =
        words_of_noise(with_noise_of(numbers_up_to(5000), {.swap = swap}));
    ASSERT_EQ(words.size(), 5000u);
    int farthest = 0;
    for (int i = 0; i < 5000; ++i)
      farthest = std::max(farthest, std::abs(std::stoi(words[static_cast<std::size_t>(i)]) - i));
    EXPECT_EQ(farthest, swap);
  }
}

TEST(WordNoise, LeavesSomethingOfEveryText) {
  EXPECT_EQ(with_noise_of("one  two", {.drop = 1}), "one  two");
  EXPECT_EQ(with_noise_of("one two", {.drop = 0, .blank = 1}), "<blank> <blank>");
  EXPECT_EQ(with_noise_of("", {.drop = 0.5, .blank = 0.5, .swap = 3}), "");
}

TEST(WordNoise, IsThatOfItsRandomNumbers) {
  const WordNoise noise{0.1, 0.1, 3};
  EXPECT_EQ(with_noise_of(numbers_up_to(50), noise), with_noise_of(numbers_up_to(50), noise));
  EXPECT_NE(with_noise_of(numbers_up_to(50), noise), with_noise_of(numbers_up_to(50), noise, 2));
}

}  // namespace
}  // namespace attend
