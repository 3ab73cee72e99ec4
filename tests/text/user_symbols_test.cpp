// Words that are one token each, such as the tag of back-translated text.
#include <gtest/gtest.h>

#include "attend/core/random/random.h"
#include "attend/error.h"
#include "attend/text/tokenizer.h"
#include "attend/text/training/bpe_dropout.h"
#include "core/files.h"

namespace attend {
namespace {

using Pieces = std::vector<std::string>;

const std::vector<std::string> kText{"<bt> the old dog sleeps", "the young dog sees the cat",
                                     "<bt> a cat sees b t < >", "old cats"};

TokenizerOptions with_symbols(TokenizerType type, const Pieces& symbols) {
  TokenizerOptions options;
  options.type = type;
  options.vocab_size = type == TokenizerType::word ? 18 : 26;
  options.user_symbols = symbols;
  return options;
}

class UserSymbols : public testing::TestWithParam<TokenizerType> {};

TEST_P(UserSymbols, AreOneToken) {
  const Tokenizer tokenizer = Tokenizer::train(kText, with_symbols(GetParam(), {"<bt>", "<en>"}));
  for (const char* symbol : {"<bt>", "<en>"}) {
    const std::vector<std::int32_t> ids = tokenizer.encode(symbol);
    ASSERT_EQ(ids.size(), 1u) << symbol;
    EXPECT_EQ(tokenizer.piece(ids[0]), std::string("▁") + symbol);
    EXPECT_EQ(tokenizer.decode(ids), symbol);
    EXPECT_NE(ids[0], tokenizer.unk_id());
  }
}

TEST_P(UserSymbols, LeaveTheTextAlone) {
  const Tokenizer tokenizer = Tokenizer::train(kText, with_symbols(GetParam(), {"<bt>"}));
  const std::vector<std::int32_t> plain = tokenizer.encode("the old cat");
  std::vector<std::int32_t> tagged = tokenizer.encode("<bt> the old cat");
  EXPECT_EQ(tokenizer.decode(tagged), "<bt> the old cat");
  ASSERT_EQ(tagged.size(), plain.size() + 1);
  tagged.erase(tagged.begin());
  EXPECT_EQ(tagged, plain);
}

TEST_P(UserSymbols, CountAsPartOfTheVocabulary) {
  const Tokenizer tokenizer = Tokenizer::train(kText, with_symbols(GetParam(), {"<bt>", "<en>"}));
  EXPECT_LE(tokenizer.vocab_size(), with_symbols(GetParam(), {}).vocab_size);
  EXPECT_EQ(tokenizer.pad_id(), 0);
  EXPECT_EQ(tokenizer.eos_id(), 3);
}

INSTANTIATE_TEST_SUITE_P(Of, UserSymbols,
                         testing::Values(TokenizerType::bpe, TokenizerType::unigram,
                                         TokenizerType::chars, TokenizerType::word));

TEST(UserSymbolsOfBpe, WouldBeManyTokensWithoutTheOption) {
  const Tokenizer tokenizer = Tokenizer::train(kText, with_symbols(TokenizerType::bpe, {}));
  EXPECT_GT(tokenizer.encode("<bt>").size(), 1u);
}

TEST(UserSymbolsOfBpe, StayWholeWithDropout) {
  const Tokenizer tokenizer = Tokenizer::train(kText, with_symbols(TokenizerType::bpe, {"<bt>"}));
  Random random({1, 2});
  const std::vector<std::int32_t> ids = tokenizer.encode("<bt> the old dog");
  for (int i = 0; i < 20; ++i)
    EXPECT_EQ(BpeDropout(tokenizer, 0.9f).sample(ids, random).front(), ids.front());
}

TEST(UserSymbolsOfBpe, RefuseWhatIsNoWord) {
  for (const char* symbol : {"", "a b", " <bt>", "<a,b>", "\"x\"", "▁x"}) {
    const std::string message = message_of<ConfigError>(
        [&] { Tokenizer::train(kText, with_symbols(TokenizerType::bpe, {symbol})); });
    EXPECT_TRUE(contains(message, "user_symbols: expected different words")) << message;
  }
  EXPECT_THROW(Tokenizer::train(kText, with_symbols(TokenizerType::bpe, {"<bt>", "<bt>"})),
               ConfigError);
}

TEST(UserSymbolsOfBpe, RefuseWordsThatNormalizationChanges) {
  TokenizerOptions options = with_symbols(TokenizerType::bpe, {"<BT>"});
  options.normalization = Normalization::nmt_nfkc_cf;
  const std::string message = message_of<ConfigError>([&] { Tokenizer::train(kText, options); });
  EXPECT_TRUE(contains(message, "that the normalization leaves as they are, got '<BT>'"))
      << message;
}

TEST(UserSymbolsOfOtherTypes, AreRefused) {
  for (const TokenizerType type : {TokenizerType::wordpiece, TokenizerType::byte_bpe}) {
    TokenizerOptions options = with_symbols(type, {"<bt>"});
    options.vocab_size = 300;
    const std::string message = message_of<ConfigError>([&] { Tokenizer::train(kText, options); });
    EXPECT_TRUE(contains(message, "user_symbols: expected a tokenizer of type bpe, unigram"))
        << message;
  }
}

}  // namespace
}  // namespace attend
