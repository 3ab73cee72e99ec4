#include "attend/text/wordpiece/wordpiece.h"

#include <gtest/gtest.h>

#include <ctime>

#include "attend/error.h"
#include "attend/text/text_stream.h"
#include "text/small_engines.h"

namespace attend {
namespace {

using Pieces = std::vector<std::string>;

TEST(WordPiece, CutsWordsIntoTheLongestPieces) {
  const Tokenizer tokenizer = made_tokenizer(small_wordpiece());
  EXPECT_EQ(pieces_of(tokenizer, "unaffable running"),
            (Pieces{"un", "##aff", "##able", "run", "##ning"}));
  EXPECT_EQ(pieces_of(tokenizer, "runs"), (Pieces{"runs"})) << "longer than run + s";
}

TEST(WordPiece, MakesAWordUnknownWhenAPartIs) {
  const Tokenizer tokenizer = made_tokenizer(small_wordpiece());
  EXPECT_EQ(pieces_of(tokenizer, "unaffx the"), (Pieces{"[UNK]", "the"}));
  EXPECT_EQ(pieces_of(tokenizer, "京x"), (Pieces{"京", "[UNK]"}));
}

TEST(WordPiece, MakesAWordOfMoreThanAHundredCharactersUnknown) {
  detail::WordPieceDescription d = small_wordpiece();
  d.vocabulary.pieces.push_back("##ß");
  d.lowercase = d.strip_accents = false;
  const Tokenizer tokenizer = made_tokenizer(d);
  std::string word;
  for (int i = 0; i < 100; ++i) word += "ß";
  EXPECT_EQ(tokenizer.encode(word).size(), 100u);
  EXPECT_EQ(pieces_of(tokenizer, word + "ß"), (Pieces{"[UNK]"}));
}

TEST(WordPiece, CutsPunctuationAndChineseCharactersOff) {
  const Tokenizer tokenizer = made_tokenizer(small_wordpiece());
  EXPECT_EQ(pieces_of(tokenizer, "(don't,the!)"),
            (Pieces{"(", "don", "'", "t", ",", "the", "!", ")"}));
  EXPECT_EQ(pieces_of(tokenizer, "a京京a"), (Pieces{"a", "京", "京", "a"}));
  detail::WordPieceDescription joined = small_wordpiece();
  joined.cjk_blanks = false;
  EXPECT_EQ(pieces_of(made_tokenizer(joined), "a京"), (Pieces{"a", "##京"}));
}

TEST(WordPiece, LowersAndStripsAsAsked) {
  detail::WordPieceDescription d = small_wordpiece();
  EXPECT_EQ(pieces_of(made_tokenizer(d), "ÜBER Ru\u0301n"), (Pieces{"uber", "run"}));
  d.strip_accents = false;
  EXPECT_EQ(pieces_of(made_tokenizer(d), "UBER Über"), (Pieces{"uber", "[UNK]"}));
  d.strip_accents = true;
  d.lowercase = false;
  EXPECT_EQ(pieces_of(made_tokenizer(d), "über Über"), (Pieces{"uber", "[UNK]"}));
}

TEST(WordPiece, CleansControlCharactersAndSpaces) {
  detail::WordPieceDescription d = small_wordpiece();
  const std::string text = "\u00A0th\u200Be\tr\x01un\u3000\uFFFDs\r\n";
  EXPECT_EQ(pieces_of(made_tokenizer(d), text), (Pieces{"the", "run", "s"}));
  d.clean_text = false;
  EXPECT_EQ(pieces_of(made_tokenizer(d), "th\u200Be run"), (Pieces{"[UNK]", "run"}));
}

TEST(WordPiece, NeverReadsTextAsASpecialToken) {
  detail::WordPieceDescription d = small_wordpiece();
  EXPECT_EQ(pieces_of(made_tokenizer(d), "[MASK] [UNK]"),
            (Pieces{"[", "[UNK]", "[UNK]", "[", "[UNK]", "[UNK]"}));
  d.split_punctuation = false;
  d.lowercase = false;
  const Tokenizer spaces = made_tokenizer(d);
  EXPECT_EQ(spaces.encode("[MASK] [CLS] [PAD]"), std::vector<std::int32_t>(3, spaces.unk_id()));
}

TEST(WordPiece, HasItsSpecialTokensAnywhere) {
  const Tokenizer tokenizer = made_tokenizer(small_wordpiece());
  EXPECT_EQ(tokenizer.bos_id(), 6);
  EXPECT_EQ(tokenizer.eos_id(), 7);
  EXPECT_EQ(tokenizer.pad_id(), 1);
  EXPECT_EQ(tokenizer.unk_id(), 5);
  EXPECT_EQ(tokenizer.id("##aff"), 3);
  EXPECT_EQ(tokenizer.id("nothing"), 5);
  const std::vector<std::int32_t> ids{6, 0, 13, 12, 22, 7, 1};
  EXPECT_EQ(tokenizer.decode(ids), "the running");
}

TEST(WordPiece, WritesTheUsualSpacesAroundPunctuation) {
  const Tokenizer tokenizer = made_tokenizer(small_wordpiece());
  const std::string text = "(the don't, 京!) unaffable";
  EXPECT_EQ(tokenizer.decode(tokenizer.encode(text)), text);
  EXPECT_EQ(tokenizer.decode(tokenizer.encode("the xyz, a")), "the ⁇, a");
  detail::WordPieceDescription d = small_wordpiece();
  d.split_punctuation = false;
  const Tokenizer spaces = made_tokenizer(d);
  EXPECT_EQ(spaces.decode(spaces.encode("( the ' t , !")), "( the ' t , !");
}

TEST(WordPiece, GivesTextTokenByToken) {
  const Tokenizer tokenizer = made_tokenizer(small_wordpiece());
  TextStream stream(tokenizer);
  std::vector<std::string> parts;
  for (const std::int32_t id : tokenizer.encode("the running!")) parts.push_back(stream.add(id));
  EXPECT_EQ(parts, (Pieces{"the", " run", "ning", "!"}));
  EXPECT_EQ(stream.finish(), "");
  EXPECT_EQ(stream.add(0), "the") << "after the end it starts over";
}

TEST(WordPiece, CutsIdsIntoWords) {
  const Tokenizer tokenizer = made_tokenizer(small_wordpiece());
  std::vector<std::int32_t> ids = tokenizer.encode("the unaffable xyz");
  ids.insert(ids.begin(), tokenizer.bos_id());
  std::vector<std::string> words;
  for (const auto& word : tokenizer.words(ids)) words.push_back(word.text);
  EXPECT_EQ(words, (Pieces{"[CLS]", "the", "unaffable", "⁇"}));
}

TEST(WordPiece, TakesLinearTimeForLongTextOfAnyKind) {
  detail::WordPieceDescription d = small_wordpiece();
  const Tokenizer tokenizer = made_tokenizer(d);
  std::string marks, letters;
  for (int i = 0; i < 300'000; ++i) marks += i % 2 == 0 ? "\u0301" : "\u0327";  // out of order
  for (int i = 0; i < 500'000; ++i) letters += "京";
  for (const std::string& text :
       {marks, "a" + marks, letters, std::string(1'000'000, 'a'), std::string(1'000'000, ' ')}) {
    const std::clock_t begin = std::clock();
    tokenizer.encode(text);
    EXPECT_LT(std::clock() - begin, 5 * CLOCKS_PER_SEC) << text.substr(0, 10);
  }
}

}  // namespace
}  // namespace attend
