#include "attend/text/text_kind.h"

#include <gtest/gtest.h>

namespace attend {
namespace {

using Lines = std::vector<std::string>;

const Lines kTokenized{"a man sees the dog .", "the dog , a small one , sees a man .",
                       "is the man small ?", "a dog is small ."};
const Lines kRawLines{"A man sees the dog.", "The dog, a small one, sees a man.",
                      "Is the man small?", "A dog is small."};

Tokenizer tokenizer_of(const Lines& lines) {
  TokenizerOptions options;
  options.type = TokenizerType::word;
  options.vocab_size = 15;
  return Tokenizer::train(lines, options);
}

std::string warning(const Lines& lines, std::optional<TextKind> kind) {
  TextFit fit(tokenizer_of(kTokenized), std::move(kind));
  for (const std::string& line : lines) fit.add(line);
  return fit.warning();
}

TEST(TextKind, TellsLowerCasedTokenizedTextFromRaw) {
  const TextKind tokenized = kind_of(kTokenized, tokenizer_of(kTokenized), "en");
  EXPECT_EQ(tokenized.language, "en");
  EXPECT_TRUE(tokenized.lowercased);
  EXPECT_TRUE(tokenized.tokenized);
  EXPECT_EQ(tokenized.unknown, 0);
  const TextKind raw = kind_of(kRawLines, tokenizer_of(kTokenized), "");
  EXPECT_FALSE(raw.lowercased);
  EXPECT_FALSE(raw.tokenized);
  EXPECT_GT(raw.unknown, 0.2);
  const TextKind none = kind_of(Lines{"1 2 3", ""}, tokenizer_of(kTokenized), "");
  EXPECT_FALSE(none.lowercased) << "without letters nobody knows";
  EXPECT_FALSE(none.tokenized);
}

TEST(TextKind, LooksAtAllPartsOfALongText) {
  Lines lines(20000, "a dog is small .");
  std::fill(lines.begin() + 10000, lines.end(), "A dog is small.");
  EXPECT_FALSE(kind_of(lines, tokenizer_of(kTokenized), "").lowercased);
}

TEST(TextKind, TakesTheLanguageFromTheNamesOfFiles) {
  EXPECT_EQ(language_of(Lines{"data/train.lc.tok.de", "more.en"}), "de");
  EXPECT_EQ(language_of(Lines{"train.fr.gz"}), "fr");
  EXPECT_EQ(language_of(Lines{"train.fr.zst"}), "fr");
  for (const char* name : {"train.txt", "train", "train.EN", "", ".", "a.e"})
    EXPECT_EQ(language_of(Lines{name}), "") << name;
  EXPECT_EQ(language_of(Lines{}), "");
}

TEST(TextFit, IsSilentAboutTextLikeThatOfTheModel) {
  EXPECT_EQ(warning(kTokenized, kind_of(kTokenized, tokenizer_of(kTokenized), "")), "");
  EXPECT_EQ(warning(kTokenized, std::nullopt), "");
  EXPECT_EQ(warning({}, std::nullopt), "");
  EXPECT_EQ(warning(kRawLines, kind_of(kRawLines, tokenizer_of(kTokenized), "")), "")
      << "its training text had as many unknown tokens";
}

TEST(TextFit, NamesTheShareOfUnknownTokensAndWhatTheyAre) {
  EXPECT_EQ(warning({"A A dog. A man. sees", "a dog sees a man ."},
                    kind_of(kTokenized, tokenizer_of(kTokenized), "")),
            "42 % of the tokens are unknown to this model (\"A\", \"dog.\", \"man.\"); it was "
            "trained on lower-cased, tokenized text");
  EXPECT_EQ(warning({"a zebra sees a dog ."}, std::nullopt),
            "17 % of the tokens are unknown to this model (\"zebra\")")
      << "an older model does not say what it was trained on";
}

TEST(TextFit, SeesCapitalsAndUnsplitMarksWhereAllTokensAreKnown) {
  TokenizerOptions options;
  options.type = TokenizerType::chars;
  options.vocab_size = 100;
  Lines both = kTokenized;
  both.insert(both.end(), kRawLines.begin(), kRawLines.end());
  TextFit fit(Tokenizer::train(both, options), TextKind{.lowercased = true, .tokenized = true});
  for (const std::string& line : kRawLines) fit.add(line);
  EXPECT_TRUE(fit.has_capitals_too_many());
  EXPECT_TRUE(fit.has_marks_unsplit());
  EXPECT_EQ(fit.warning(),
            "the text differs from the model's training text; it was trained on lower-cased, "
            "tokenized text");
}

TEST(TextFit, ShowsNoControlCharacters) {
  EXPECT_NE(warning({"\x1b[2Jx a dog"}, std::nullopt).find("\"\\x1b[2Jx\""), std::string::npos);
}

}  // namespace
}  // namespace attend
