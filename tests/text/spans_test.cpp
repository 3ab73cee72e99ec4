// Where tokens stand in their text.
#include <gtest/gtest.h>

#include "attend/core/strings/utf8.h"
#include "attend/text/normalization/source_map.h"
#include "attend/text/tokenizer.h"
#include "text/small_engines.h"
#include "text/small_tokenizers.h"

namespace attend {
namespace {

using Texts = std::vector<std::string>;

// What each token stands for.
Texts parts_of(const Tokenizer& tokenizer, const std::string& text) {
  const std::vector<TokenSpan> spans = tokenizer.spans(text);
  EXPECT_EQ(spans.size(), tokenizer.encode(text).size()) << text;
  Texts parts;
  for (const TokenSpan& span : spans) {
    if (span.begin > span.end || span.end > text.size()) {
      ADD_FAILURE() << span.begin << " .. " << span.end << " is not in: " << text;
      return {};
    }
    parts.push_back(text.substr(span.begin, span.end - span.begin));
  }
  return parts;
}

TEST(Spans, OfWordPieceAreTheTextBeforeItIsChanged) {
  const Tokenizer tokenizer = made_tokenizer(small_wordpiece());
  EXPECT_EQ(parts_of(tokenizer, "  Unaffable,RUNS "), (Texts{"Un", "aff", "able", ",", "RUNS"}));
  EXPECT_EQ(parts_of(tokenizer, "Ru\u0301n Über"), (Texts{"Ru\u0301n", "Über"}));
  EXPECT_EQ(parts_of(tokenizer, "unaffx the"), (Texts{"unaffx", "the"})) << "unknown as a whole";
  EXPECT_EQ(parts_of(tokenizer, "a京京a"), (Texts{"a", "京", "京", "a"}));
  EXPECT_EQ(parts_of(tokenizer, "r\x01un\u200Bthe"), (Texts{"r\x01un\u200Bthe"}));
  EXPECT_EQ(parts_of(tokenizer, ""), Texts{});
}

TEST(Spans, OfByteBpeAreWholeCharactersWithoutSpaces) {
  detail::ByteBpeDescription d = small_byte_bpe();
  add_merge(d, "h", "e");
  add_merge(d, "Ġ", "t");
  add_merge(d, "Ġt", "he");
  const Tokenizer tokenizer = made_tokenizer(d);
  EXPECT_EQ(parts_of(tokenizer, "the the  ß"), (Texts{"t", "he", "the", " ", " ", "ß", "ß"}));
  d.prefix_space = true;
  EXPECT_EQ(parts_of(made_tokenizer(d), "the the"), (Texts{"the", "the"}));
  EXPECT_EQ(parts_of(made_tokenizer(d), "hehe"), (Texts{"", "he", "he"}));
  d.prefix_space = false;
  d.normalization = {.form = detail::UnicodeForm::nfkc, .clean_spaces = true};
  EXPECT_EQ(parts_of(made_tokenizer(d), "  \ufb01\t\t the "), (Texts{"\ufb01", "\ufb01", "the"}));
}

TEST(Spans, OfAddedPiecesAreThese) {
  detail::ByteBpeDescription d = small_byte_bpe();
  add_merge(d, "h", "e");
  d.vocabulary.pieces.push_back("<sep>");
  d.added = {static_cast<std::int32_t>(d.vocabulary.pieces.size() - 1)};
  EXPECT_EQ(parts_of(made_tokenizer(d), "he<sep>he<sep>"), (Texts{"he", "<sep>", "he", "<sep>"}));
}

TEST(Spans, OfSentencePieceAreTheTextBeforeItIsChanged) {
  const std::vector<std::string> sentences(8, "the old dog sees the cat");
  TokenizerOptions options;
  options.vocab_size = 30;
  const Tokenizer tokenizer = Tokenizer::train(sentences, options);
  std::string all;
  for (const std::string& part : parts_of(tokenizer, " the   old\u3000dog")) all += part;
  EXPECT_EQ(all, "theolddog");
  EXPECT_EQ(parts_of(tokenizer, "the ßß"), (Texts{"the", " ", "ßß"}));
  options.byte_fallback = true;
  options.vocab_size = 290;
  EXPECT_EQ(parts_of(Tokenizer::train(sentences, options), "ßthe"),
            (Texts{"", "ß", "ß", "t", "he"}));
}

TEST(Spans, OfUnknownWordsAreOneWordEach) {
  const std::vector<std::string> sentences(8, "the old dog sees the cat");
  TokenizerOptions options;
  options.type = TokenizerType::word;
  options.vocab_size = 9;
  const Tokenizer tokenizer = Tokenizer::train(sentences, options);
  EXPECT_EQ(parts_of(tokenizer, "the  new\u3000fat old"), (Texts{"the", "new", "fat", "old"}));
}

TEST(Spans, OfAnyBytesAreInTheText) {
  const std::vector<Tokenizer> tokenizers{
      made_tokenizer(small_wordpiece()), made_tokenizer(small_byte_bpe()),
      Tokenizer::train(std::vector<std::string>(8, "the old dog"), {.vocab_size = 20})};
  for (const Tokenizer& tokenizer : tokenizers)
    for (const std::string& text :
         {std::string("\xff\xfethe \xcc\x81"), std::string("\xcc\x81\xcc\x81"), std::string("\x80"),
          std::string("a\0b \xe1\x84\x80\xe1\x85\xa1", 10), std::string("\xe2\x80\x8b \xf0\x9f")})
      parts_of(tokenizer, text);
}

TEST(SourceMap, TakesMarksTogetherWithTheirCharacter) {
  const detail::SourceMap map("e\u0301x\u1100\u1161", [](std::string_view character) {
    return detail::normalized(character, {.form = detail::UnicodeForm::nfc});
  });
  const auto at = [&](std::size_t begin, std::size_t end) {
    const TokenSpan span = map.source(begin, end);
    return std::pair(span.begin, span.end);
  };
  EXPECT_EQ(at(0, 2), std::pair(std::size_t{0}, std::size_t{3})) << "é";
  EXPECT_EQ(at(1, 3), std::pair(std::size_t{0}, std::size_t{4})) << "its second byte, and x";
  EXPECT_EQ(at(3, 6), std::pair(std::size_t{4}, std::size_t{10})) << "a syllable of Hangul";
  EXPECT_EQ(at(2, 2), std::pair(std::size_t{3}, std::size_t{3}));
  EXPECT_EQ(at(90, 99), std::pair(std::size_t{4}, std::size_t{10})) << "beyond the end";
}

}  // namespace
}  // namespace attend
