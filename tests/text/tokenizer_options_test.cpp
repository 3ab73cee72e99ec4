// What a tokenizer learns and reads, as its options say.
#include <gtest/gtest.h>

#include <algorithm>
#include <span>

#include "attend/core/strings/utf8.h"
#include "attend/error.h"
#include "core/files.h"
#include "text/trained_tokenizers.h"

namespace attend {
namespace {

using Ids = std::vector<std::int32_t>;

TEST(TokenizerOptions, SaysWhichVocabularySizesWork) {
  for (const TokenizerType type : {TokenizerType::bpe, TokenizerType::unigram, TokenizerType::word,
                                   TokenizerType::wordpiece, TokenizerType::byte_bpe}) {
    TokenizerOptions options = options_of(type);
    options.vocab_size = 100'000;
    const std::string message =
        message_of<ConfigError>([&] { Tokenizer::train(corpus(), options); });
    const std::string_view marker = "set vocab_size to ";
    ASSERT_TRUE(contains(message, marker)) << message;
    ASSERT_TRUE(contains(message, "too large")) << message;
    options.vocab_size = std::stoi(message.substr(message.find(marker) + marker.size()));
    EXPECT_EQ(Tokenizer::train(corpus(), options).vocab_size(), options.vocab_size) << message;
  }
  for (const TokenizerType type :
       {TokenizerType::bpe, TokenizerType::unigram, TokenizerType::wordpiece}) {
    TokenizerOptions options = options_of(type);
    options.vocab_size = 20;
    const std::string message =
        message_of<ConfigError>([&] { Tokenizer::train(corpus(), options); });
    const std::string_view marker = "set vocab_size to ";
    ASSERT_TRUE(contains(message, "too small")) << message;
    options.vocab_size = std::stoi(message.substr(message.find(marker) + marker.size()));
    EXPECT_EQ(Tokenizer::train(corpus(), options).vocab_size(), options.vocab_size) << message;
  }
}

TEST(TokenizerOptions, NeedsRoomForTheReservedPieces) {
  for (const TokenizerType type :
       {TokenizerType::bpe, TokenizerType::unigram, TokenizerType::chars, TokenizerType::word}) {
    for (const int size : {-1, 0, 4}) {
      TokenizerOptions options = options_of(type);
      options.vocab_size = size;
      EXPECT_TRUE(contains(message_of<ConfigError>([&] { Tokenizer::train(corpus(), options); }),
                           "set it to 5 or more"));
      options.byte_fallback = true;
      EXPECT_TRUE(contains(message_of<ConfigError>([&] { Tokenizer::train(corpus(), options); }),
                           "set it to 261 or more"));
    }
  }
}

TEST(TokenizerOptions, ChecksCharacterCoverage) {
  TokenizerOptions options = options_of(TokenizerType::bpe);
  options.character_coverage = 0.5f;
  EXPECT_THROW(Tokenizer::train(corpus(), options), ConfigError);
}

TEST(TokenizerOptions, WritesUnseenCharactersAsBytesWithByteFallback) {
  TokenizerOptions options;
  options.vocab_size = 400;
  for (const TokenizerType type :
       {TokenizerType::bpe, TokenizerType::unigram, TokenizerType::chars}) {
    options.type = type;
    options.vocab_size = type == TokenizerType::chars ? 400 : 320;
    options.byte_fallback = true;
    const Tokenizer tokenizer = Tokenizer::train(corpus(), options);
    const std::string text = "Ein 🤖 sieht 漢字🎉!";
    const Ids ids = tokenizer.encode(text);
    EXPECT_EQ(std::count(ids.begin(), ids.end(), tokenizer.unk_id()), 0);
    EXPECT_EQ(tokenizer.decode(ids), text);
    EXPECT_EQ(tokenizer.words(ids)[1].text, "🤖");
    // Half of a character still decodes to UTF-8.
    EXPECT_TRUE(is_utf8(tokenizer.decode(std::span(ids).first(ids.size() - 2))));
  }
}

TEST(TokenizerOptions, NormalizesAsAsked) {
  TokenizerOptions options = options_of(TokenizerType::bpe);
  const std::string text = "ＤＥＲ  alte\tMann ";
  const auto normalized = [&](Normalization normalization) {
    options.normalization = normalization;
    const Tokenizer tokenizer =
        Tokenizer::train(std::vector<std::string>(8, text + "Ein Baum"), [&] {
          TokenizerOptions small = options;
          small.type = TokenizerType::chars;
          return small;
        }());
    return tokenizer.decode(tokenizer.encode(text));
  };
  EXPECT_EQ(normalized(Normalization::nmt_nfkc), "DER alte Mann");
  EXPECT_EQ(normalized(Normalization::nmt_nfkc_cf), "der alte mann");
  EXPECT_EQ(normalized(Normalization::identity), "ＤＥＲ alte⁇Mann");
}

TEST(TokenizerOptions, GivesPretokenizedTextBackUnchanged) {
  // Compatibility characters, joined scripts and entities: a normalization would change each of
  // them.
  const std::vector<std::string> sentences{"ein ﬁsch &apos;s 10² km … ½ ＡＢ",
                                           "a man &quot; is ､ 12abcабв @-@ x",
                                           "don &apos;t \u00A0 x\u2028y e\u0301"};
  TokenizerOptions options;
  options.pretokenized = true;
  for (const TokenizerType type :
       {TokenizerType::bpe, TokenizerType::unigram, TokenizerType::chars, TokenizerType::word,
        TokenizerType::wordpiece, TokenizerType::byte_bpe}) {
    options.type = type;
    options.vocab_size = type == TokenizerType::word        ? 25
                         : type == TokenizerType::wordpiece ? 80
                         : type == TokenizerType::byte_bpe  ? 280
                                                            : 48;
    const Tokenizer tokenizer = Tokenizer::train(sentences, options);
    for (const std::string& sentence : sentences)
      EXPECT_EQ(tokenizer.decode(tokenizer.encode(sentence)), sentence);
  }
}

TEST(TokenizerOptions, TakesTheWordsOfPretokenizedTextFromItsSpaces) {
  TokenizerOptions options;
  options.pretokenized = true;
  const std::vector<std::string> sentences{"the 12abcабв12 house", "a 12abcабв12 x y z w v"};
  options.vocab_size = 45;
  const Tokenizer tokenizer = Tokenizer::train(sentences, options);
  const Ids ids = tokenizer.encode("a 12abcабв12 x");
  EXPECT_EQ(ids.size(), 3u);  // digits and scripts may be joined inside a word
  EXPECT_EQ(tokenizer.words(ids)[1].text, "12abcабв12");
}

TEST(TokenizerOptions, LearnsFromLinesThatTheTrainerWouldLeaveOut) {
  const std::string long_line(5000, 'q');
  const std::vector<std::string> sentences{long_line, "a\tx", "b \xE2\x96\x85 z"};
  TokenizerOptions options;
  options.type = TokenizerType::chars;
  const Tokenizer tokenizer = Tokenizer::train(sentences, options);
  for (const char* character : {"q", "a", "x", "b", "z"})
    EXPECT_NE(tokenizer.id(character), tokenizer.unk_id()) << character;
}

}  // namespace
}  // namespace attend
