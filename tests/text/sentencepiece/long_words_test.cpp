#include "attend/text/sentencepiece/long_words.h"

#include <gtest/gtest.h>

#include "attend/core/strings/utf8.h"
#include "attend/error.h"
#include "attend/text/sentencepiece/sentencepiece_model.h"
#include "attend/text/tokenizer.h"

namespace attend::detail {
namespace {

std::string repeated(std::string_view text, std::size_t count) {
  std::string result;
  for (std::size_t i = 0; i < count; ++i) result += text;
  return result;
}

using Parts = std::vector<std::string_view>;

std::string joined(const Parts& parts) {
  std::string text;
  for (const std::string_view part : parts) text += part;
  return text;
}

TEST(LongWords, LeaveAWordThatTheTrainerHoldsAsItIs) {
  const std::string longest(kLongestLearnedWord - 1, 'a');  // and the space before
  const std::string sentence = "b " + longest + " c";
  EXPECT_EQ(parts_for_training(longest, {}), Parts{longest});
  EXPECT_EQ(parts_for_training(sentence, {}), Parts{sentence});
}

TEST(LongWords, AreCutIntoShortParts) {
  const std::string sentence = "a " + repeated("中", kLongestLearnedWord) + " b";
  const Parts parts = parts_for_training(sentence, {});
  EXPECT_EQ(joined(parts), sentence);
  EXPECT_EQ(parts.size(), 33u);
  for (const std::string_view part : parts) EXPECT_LE(count_code_points(part), 1024u + 2);
}

TEST(LongWords, LeaveTheWordsAroundWhole) {
  const std::string fits(20000, 'x'), too_long(40000, 'y');
  const std::string sentence = fits + " " + too_long + " " + fits;
  const Parts parts = parts_for_training(sentence, {});
  EXPECT_TRUE(parts.front().starts_with(fits + " y"));
  EXPECT_TRUE(parts.back().ends_with("y " + fits));
  EXPECT_EQ(joined(parts), sentence);
  const std::string fitting = fits + " " + fits + " " + fits;
  EXPECT_EQ(parts_for_training(fitting, {}), Parts{fitting});
}

TEST(LongWords, EndAtTheMetaSymbol) {
  const std::string sentence = std::string(20000, 'x') + "▁" + std::string(20000, 'x');
  EXPECT_EQ(parts_for_training(sentence, {}), Parts{sentence});
}

// What is too long for the trainer once normalization has spelled it out.
class LongWordsOf : public testing::TestWithParam<std::pair<TokenizerType, std::string>> {};

TEST_P(LongWordsOf, AreLearnedFrom) {
  const auto& [type, letters] = GetParam();
  TokenizerOptions options;
  options.type = type;
  options.vocab_size = 24;
  const std::vector<std::string> text{"a small old dog", repeated(letters, 70000 / letters.size()),
                                      repeated(letters, 7000) + " b", "dogs"};
  const Tokenizer tokenizer = Tokenizer::train(text, options);
  EXPECT_EQ(tokenizer.vocab_size(), 24);
  const std::vector<std::int32_t> ids = tokenizer.encode("a dog");
  EXPECT_EQ(tokenizer.decode(ids), "a dog");
}

INSTANTIATE_TEST_SUITE_P(
    Of, LongWordsOf,
    testing::Values(std::pair{TokenizerType::bpe, std::string("GATTACA")},
                    std::pair{TokenizerType::bpe, std::string("中文")},
                    std::pair{TokenizerType::bpe, std::string("㌖")},  // six letters
                    std::pair{TokenizerType::bpe, std::string("ﷺ")},   // four words
                    std::pair{TokenizerType::unigram, std::string("GATTACA")},
                    std::pair{TokenizerType::unigram, std::string("中文")}));

TEST(LongWordsOfEveryType, AreLearnedFromWithoutNormalization) {
  for (const TokenizerType type : {TokenizerType::bpe, TokenizerType::unigram, TokenizerType::chars,
                                   TokenizerType::word, TokenizerType::wordpiece}) {
    TokenizerOptions options;
    options.type = type;
    options.normalization = Normalization::identity;
    options.vocab_size = type == TokenizerType::word ? 9 : 22;
    const std::vector<std::string> text{"a small old dog", "old dogs", repeated("dogma", 14000)};
    EXPECT_EQ(Tokenizer::train(text, options).decode(std::vector<std::int32_t>{}), "");
  }
}

}  // namespace
}  // namespace attend::detail
