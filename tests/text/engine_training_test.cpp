// What WordPiece and byte-level BPE learn.
#include <gtest/gtest.h>

#include "attend/error.h"
#include "attend/text/tokenizer.h"
#include "attend/text/training/pair_training.h"

namespace attend {
namespace {

using Pairs = std::vector<std::pair<std::int32_t, std::int32_t>>;
using Pieces = std::vector<std::string>;

std::optional<std::string> joined(const std::string& left, const std::string& right) {
  return left + right;
}

TEST(LearnMerges, JoinsTheMostFrequentPairFirst) {
  Pieces pieces{"a", "b", "c"};
  const Pairs merges =
      detail::learn_merges({{{0, 1, 2}, 3}, {{1, 2}, 2}, {{0, 1}, 1}}, pieces, 5, joined);
  EXPECT_EQ(merges, (Pairs{{1, 2}, {0, 3}})) << "bc 5 times, then a bc 3 times";
  EXPECT_EQ(pieces, (Pieces{"a", "b", "c", "bc", "abc"}));
}

TEST(LearnMerges, TakesTheFirstOfEqualPairsByTheirText) {
  Pieces pieces{"z", "b", "a"};
  EXPECT_EQ(detail::learn_merges({{{0, 1}, 2}, {{1, 2}, 2}, {{1, 1}, 2}}, pieces, 5, joined),
            (Pairs{{1, 2}, {1, 1}}));
}

TEST(LearnMerges, JoinsARunFromTheLeft) {
  Pieces pieces{"a"};
  EXPECT_EQ(detail::learn_merges({{{0, 0, 0, 0, 0}, 1}}, pieces, 9, joined),
            (Pairs{{0, 0}, {1, 0}, {1, 2}}));
}

TEST(LearnMerges, MakesNoPieceTwice) {
  Pieces pieces{"a", "b", "ab"};
  EXPECT_TRUE(detail::learn_merges({{{0, 1}, 9}}, pieces, 9, joined).empty());
}

const Pieces kComparatives{"low lower lowest low", "new newer newest", "wide wider widest, low!"};

TEST(ByteBpeTraining, BeginsWithTheBytes) {
  TokenizerOptions options;
  options.type = TokenizerType::byte_bpe;
  options.vocab_size = 264;
  const Tokenizer tokenizer = Tokenizer::train(kComparatives, options);
  EXPECT_EQ(tokenizer.piece(4), "Ā");
  EXPECT_EQ(tokenizer.piece(4 + 'a'), "a");
  EXPECT_EQ(tokenizer.piece(4 + ' '), "Ġ");
  EXPECT_EQ(tokenizer.piece(260), "lo") << "of the pairs with five, the first by its text";
  EXPECT_EQ(tokenizer.decode(tokenizer.encode("something 京 else")), "something 京 else");
}

TEST(WordPieceTraining, LearnsPiecesThatGoOnApartFromThoseThatBegin) {
  TokenizerOptions options;
  options.type = TokenizerType::wordpiece;
  options.vocab_size = 33;
  const Tokenizer tokenizer = Tokenizer::train(kComparatives, options);
  for (const char* piece : {"l", "##o", "low", "##e", "w", "##w", ",", "!"})
    EXPECT_NE(tokenizer.id(piece), tokenizer.unk_id()) << piece;
  EXPECT_EQ(tokenizer.id("e"), tokenizer.unk_id()) << "no word begins with it";
}

TEST(WordPieceTraining, LeavesRareCharactersOutAsAsked) {
  TokenizerOptions options;
  options.type = TokenizerType::wordpiece;
  options.vocab_size = 30;
  Pieces sentences(100, "abc bca cab");
  sentences.push_back("xyz");
  options.vocab_size = 14;
  EXPECT_NE(Tokenizer::train(sentences, options).id("##y"), 1);
  options.character_coverage = 0.99f;
  options.vocab_size = 12;
  EXPECT_EQ(Tokenizer::train(sentences, options).id("##y"), 1);
}

TEST(EngineTraining, RefusesOptionsThatATypeDoesNotHave) {
  TokenizerOptions options;
  options.vocab_size = 300;
  for (const TokenizerType type : {TokenizerType::wordpiece, TokenizerType::byte_bpe}) {
    options.type = type;
    options.byte_fallback = true;
    EXPECT_THROW(Tokenizer::train(kComparatives, options), ConfigError);
    options.byte_fallback = false;
  }
  options.character_coverage = 0.99f;
  EXPECT_THROW(Tokenizer::train(kComparatives, options), ConfigError);
}

TEST(EngineTraining, NormalizesAsAsked) {
  const Pieces sentences(5, "ＤＥＲ  alte\tMann ABCDE");
  for (const TokenizerType type : {TokenizerType::wordpiece, TokenizerType::byte_bpe}) {
    TokenizerOptions options;
    options.type = type;
    options.vocab_size = type == TokenizerType::byte_bpe ? 264 : 25;
    const auto back = [&](Normalization normalization) {
      options.normalization = normalization;
      const Tokenizer tokenizer = Tokenizer::train(sentences, options);
      return tokenizer.decode(tokenizer.encode("ＤＥＲ  alte\tMann "));
    };
    EXPECT_EQ(back(Normalization::nmt_nfkc), "DER alte Mann");
    EXPECT_EQ(back(Normalization::nmt_nfkc_cf), "der alte mann");
    if (type == TokenizerType::byte_bpe) {
      EXPECT_EQ(back(Normalization::nfkc), "DER  alte\tMann ");
      EXPECT_EQ(back(Normalization::nfkc_cf), "der  alte\tmann ");
      EXPECT_EQ(back(Normalization::identity), "ＤＥＲ  alte\tMann ");
    } else {
      EXPECT_EQ(back(Normalization::identity), "ＤＥＲ alte Mann");
    }
  }
}

}  // namespace
}  // namespace attend
