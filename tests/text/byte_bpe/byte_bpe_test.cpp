#include "attend/text/byte_bpe/byte_bpe.h"

#include <gtest/gtest.h>

#include <ctime>

#include "attend/core/strings/utf8.h"
#include "attend/error.h"
#include "attend/text/text_stream.h"
#include "text/small_engines.h"

namespace attend {
namespace {

using Ids = std::vector<std::int32_t>;
using Pieces = std::vector<std::string>;

detail::ByteBpeDescription with_merges() {
  detail::ByteBpeDescription d = small_byte_bpe();
  add_merge(d, "h", "e");
  add_merge(d, "Ġ", "t");
  add_merge(d, "Ġt", "he");
  add_merge(d, "a", "a");
  add_merge(d, "aa", "aa");
  return d;
}

TEST(ByteBpe, JoinsTheEarliestMergeFirst) {
  const Tokenizer tokenizer = made_tokenizer(with_merges());
  EXPECT_EQ(pieces_of(tokenizer, "the the"), (Pieces{"t", "he", "Ġthe"}));
  EXPECT_EQ(pieces_of(tokenizer, "aaaaaaa"), (Pieces{"aaaa", "aa", "a"}));
}

TEST(ByteBpe, JoinsLongWordsAsShortOnes) {
  detail::ByteBpeDescription d = with_merges();
  add_merge(d, "b", "a");
  add_merge(d, "a", "b");
  const Tokenizer tokenizer = made_tokenizer(d);
  // Twenty-two symbols are joined one way, forty-four another; the parts are the same.
  const std::string part = "abaaabhethebabbaaaahe";
  Ids expected = tokenizer.encode(part + "z");
  const Ids once = expected;
  expected.insert(expected.end(), once.begin(), once.end());
  EXPECT_EQ(tokenizer.encode(part + "z" + part + "z"), expected);
}

TEST(ByteBpe, WritesEveryTextAndGivesItBack) {
  const Tokenizer tokenizer = made_tokenizer(with_merges());
  for (const std::string& text :
       {std::string("  a  b "), std::string("京都 🤖 ẞ"), std::string("zero \0 byte", 11),
        std::string("tab\tand\x7f"), std::string("don't's 12¾"), std::string("\u00A0\u2003x")})
    EXPECT_EQ(tokenizer.decode(tokenizer.encode(text)), text);
  EXPECT_EQ(tokenizer.decode(tokenizer.encode("a\xFFz\xC3")), "a\uFFFDz\uFFFD");
}

TEST(ByteBpe, PutsASpaceBeforeTheTextAndTakesItAway) {
  detail::ByteBpeDescription d = with_merges();
  d.prefix_space = true;
  const Tokenizer tokenizer = made_tokenizer(d);
  EXPECT_EQ(pieces_of(tokenizer, "the"), (Pieces{"Ġthe"}));
  EXPECT_EQ(pieces_of(tokenizer, " the"), (Pieces{"Ġthe"}));
  EXPECT_EQ(tokenizer.decode(tokenizer.encode("the the")), "the the");
  EXPECT_TRUE(tokenizer.encode("").empty());
}

TEST(ByteBpe, TakesAWholePartThatIsAPieceWhenItIgnoresMerges) {
  detail::ByteBpeDescription d = with_merges();
  d.vocabulary.pieces.push_back("theory");
  EXPECT_EQ(pieces_of(made_tokenizer(d), "theory"), (Pieces{"t", "he", "o", "r", "y"}));
  d.ignore_merges = true;
  EXPECT_EQ(pieces_of(made_tokenizer(d), "theory"), (Pieces{"theory"}));
}

TEST(ByteBpe, FindsAddedPiecesBeforeAllOthers) {
  detail::ByteBpeDescription d = with_merges();
  const auto id = static_cast<std::int32_t>(d.vocabulary.pieces.size());
  d.vocabulary.pieces.insert(d.vocabulary.pieces.end(), {"<tool>", "<tool>s", "é x"});
  d.added = {id, id + 1, id + 2};
  const Tokenizer tokenizer = made_tokenizer(d);
  EXPECT_EQ(pieces_of(tokenizer, "a<tool>s<tool>é x"), (Pieces{"a", "<tool>s", "<tool>", "é x"}));
  EXPECT_EQ(tokenizer.decode(tokenizer.encode("a<tool>é x")), "a<tool>é x");
}

TEST(ByteBpe, NeverReadsTextAsASpecialToken) {
  detail::ByteBpeDescription d = with_merges();
  d.ignore_merges = true;
  d.patterns = {"[^ ]+"};
  const Tokenizer tokenizer = made_tokenizer(d);
  for (const std::int32_t id : tokenizer.encode("<s> </s> <pad> <unk>")) EXPECT_GT(id, 3);
}

TEST(ByteBpe, LeavesSpecialTokensOut) {
  const Tokenizer tokenizer = made_tokenizer(with_merges());
  Ids ids = tokenizer.encode("the");
  ids.insert(ids.begin(), {0, 1});
  ids.push_back(2);
  EXPECT_EQ(tokenizer.decode(ids), "the");
  ids.push_back(3);
  EXPECT_EQ(tokenizer.decode(ids), "the⁇");
}

TEST(ByteBpe, HoldsBytesBackUntilTheyAreACharacter) {
  const Tokenizer tokenizer = made_tokenizer(with_merges());
  const auto byte = [](int value) { return 4 + value; };
  TextStream stream(tokenizer);
  EXPECT_EQ(stream.add(byte(0xF0)), "");
  EXPECT_EQ(stream.add(byte(0x9F)), "");
  EXPECT_EQ(stream.add(byte(0xA4)), "");
  EXPECT_EQ(stream.add(byte(0x96)), "🤖");
  EXPECT_EQ(stream.add(byte(0xE4)), "");
  EXPECT_EQ(stream.add(byte('a')), "\uFFFDa") << "what cannot become a character waits no longer";
  EXPECT_EQ(stream.add(byte('\n')), " ") << "one line";
  EXPECT_EQ(stream.add(byte(0xC3)), "");
  EXPECT_EQ(stream.finish(), "\uFFFD");
}

// What bytes.decode(errors="replace") of Python writes, and with it the tokenizers library.
TEST(ByteBpe, WritesOneCharacterForEachBrokenPart) {
  const Tokenizer tokenizer = made_tokenizer(with_merges());
  for (const auto& [bytes, text] : std::initializer_list<std::pair<std::string, std::string>>{
           {"\xE2\x82", "\uFFFD"},
           {"\xF0\x9F\xA4", "\uFFFD"},
           {"a\xE2\x82z", "a\uFFFDz"},
           {"\xE2\x82\xE2\x82\xAC\xE2", "\uFFFD\u20AC\uFFFD"},
           {"\xFF\xFE", "\uFFFD\uFFFD"},
           {"\xC0\x80", "\uFFFD\uFFFD"},
           {"\xE0\x9F\xBF", "\uFFFD\uFFFD\uFFFD"},
           {"\xED\xA0\x80", "\uFFFD\uFFFD\uFFFD"},
           {"\xF4\x8F\xBF", "\uFFFD"},
           {"\xF4\x90\x80\x80", "\uFFFD\uFFFD\uFFFD\uFFFD"},
           {"\xF0\x80\x80\x80", "\uFFFD\uFFFD\uFFFD\uFFFD"},
           {"\xF0\x9F\x98\xF0\x9F", "\uFFFD\uFFFD"},
           {"\x80\x80", "\uFFFD\uFFFD"},
           {"\xC3(", "\uFFFD("},
           {"\xE1\x80\xC3\xA4\xF1\x80\x80", "\uFFFDä\uFFFD"}}) {
    Ids ids;
    std::string streamed;
    TextStream stream(tokenizer);
    for (const char byte : bytes) {
      ids.push_back(4 + static_cast<unsigned char>(byte));
      streamed += stream.add(ids.back());
    }
    EXPECT_EQ(tokenizer.decode(ids), text);
    EXPECT_EQ(streamed + stream.finish(), text);
  }
}

TEST(ByteBpe, BeginsAWordWithASpace) {
  const Tokenizer tokenizer = made_tokenizer(with_merges());
  Pieces words;
  for (const auto& word : tokenizer.words(tokenizer.encode("the the! x")))
    words.push_back(word.text);
  EXPECT_EQ(words, (Pieces{"the", "the!", "x"}));
}

TEST(ByteBpe, RatesEarlierMergesHigher) {
  const Tokenizer tokenizer = made_tokenizer(with_merges());
  EXPECT_EQ(tokenizer.score(tokenizer.id("he")), -1);
  EXPECT_EQ(tokenizer.score(tokenizer.id("Ġthe")), -3);
  EXPECT_EQ(tokenizer.score(tokenizer.id("a")), 0);
}

TEST(ByteBpe, TakesNearlyLinearTimeForLongTextOfAnyKind) {
  detail::ByteBpeDescription d = with_merges();
  d.normalization.form = detail::UnicodeForm::nfc;
  const Tokenizer tokenizer = made_tokenizer(d);
  std::string marks;
  for (int i = 0; i < 200'000; ++i) marks += i % 2 == 0 ? "\u0301" : "\u0327";
  for (const std::string& text : {std::string(1'000'000, 'a'), std::string(1'000'000, ' ') + "x",
                                  std::string(500'000, '\n'), marks, "e" + marks}) {
    const std::clock_t begin = std::clock();
    tokenizer.encode(text);
    EXPECT_LT(std::clock() - begin, 5 * CLOCKS_PER_SEC) << text.substr(0, 10);
  }
}

}  // namespace
}  // namespace attend
