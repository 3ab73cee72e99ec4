#include "attend/text/sentencepiece/long_text.h"

#include <gtest/gtest.h>

#include <ctime>

#include "attend/core/random/random.h"
#include "attend/core/strings/utf8.h"
#include "text/small_tokenizers.h"

namespace attend {
namespace {

using Ids = std::vector<std::int32_t>;

// What the library itself gives; unknown words stay apart.
Ids library_ids(const TokenizerUnderTest& t, const std::string& text) {
  sentencepiece::ImmutableSentencePieceText pieces;
  t.library->Encode(text, pieces.mutable_proto()).IgnoreError();
  Ids ids;
  for (int i = 0; i < static_cast<int>(pieces.pieces_size()); ++i) {
    std::size_t copies = 1;
    if (t.name.starts_with("word") &&
        static_cast<std::int32_t>(pieces.pieces(i).id()) == t.tokenizer.unk_id()) {
      copies = 0;
      const std::string& piece = pieces.pieces(i).piece();
      for (std::size_t at = piece.find("▁"); at != std::string::npos; at = piece.find("▁", at + 1))
        ++copies;
    }
    ids.insert(ids.end(), copies, static_cast<std::int32_t>(pieces.pieces(i).id()));
  }
  return ids;
}

std::string repeated(const std::string& part, std::size_t bytes) {
  std::string text;
  while (text.size() < bytes) text += part;
  return text;
}

// Words, letters that no piece has, letters that combine or disappear, odd spaces, bytes that are
// no text.
std::string random_text(Random& random, std::size_t parts) {
  static const std::vector<std::string> kParts{
      "the ",   "small",  " dog", "e",      "\u0301", "京",     "都", "🤖", "ß",
      "ä",      " ",      "  ",   "\u3000", "\u200B", "\uFDFA", "Ａ", "\xFF", "\xE4\xBA",
      "\u0300", "\u2581", "\t",   "q",      "ﬁ",      "½",      "12"};
  std::string text;
  for (std::size_t i = 0; i < parts; ++i) {
    const std::string& part = kParts[random.below(kParts.size())];
    const std::uint64_t times = random.below(100) < 5 ? random.below(3000) : 1;
    for (std::uint64_t k = 0; k < times; ++k) text += part;
  }
  return text;
}

TEST(LongText, HasTheIdsThatTheLibraryGivesIt) {
  for (const TokenizerUnderTest& t : small_tokenizers()) {
    Random random({3, 0});
    for (int i = 0; i < 25; ++i) {
      const std::string text = random_text(random, 1 + random.below(120));
      ASSERT_EQ(t.tokenizer.encode(text), library_ids(t, text))
          << t.name << ", text " << i << " of " << text.size() << " bytes";
    }
  }
}

TEST(LongText, KeepsWhatStandsAroundARunOfUnknownCharacters) {
  const std::string run = repeated("京都", 6'000);
  for (const TokenizerUnderTest& t : small_tokenizers()) {
    for (const std::string& text :
         {run, "the " + run, run + " dog", "the" + run + "dog" + run + "e", "e" + run + "\u0301 a",
          " " + run + " " + run + " "})
      EXPECT_EQ(t.tokenizer.encode(text), library_ids(t, text))
          << t.name << " " << text.substr(0, 6);
  }
}

TEST(LongText, KeepsARunOfLimitedLengthAsItIs) {
  for (const std::size_t length : {1087u, 1088u, 1089u, 1090u, 1152u, 1153u, 5000u}) {
    std::string text = repeated("the small dog ", 4096);
    for (std::size_t i = 0; i < length; ++i) text += "京";
    for (const TokenizerUnderTest& t : small_tokenizers())
      EXPECT_EQ(t.tokenizer.encode(text + "x dog"), library_ids(t, text + "x dog"))
          << t.name << " " << length;
  }
}

TEST(LongText, FindsTheOneCharacterAmongSpacesAndWhatDisappears) {
  for (const std::string filler : {" ", "\u200B", "\u3000"}) {
    const std::string text = repeated(filler, 9000) + "京" + repeated(filler, 9000);
    for (const TokenizerUnderTest& t : small_tokenizers())
      EXPECT_EQ(t.tokenizer.encode(text), library_ids(t, text)) << t.name;
  }
}

TEST(LongText, IsEncodedInTimeThatGrowsWithIt) {
#if defined(__SANITIZE_THREAD__) || defined(ATTEND_EMULATED)
  constexpr int kSeconds = 8;
#else
  constexpr int kSeconds = 2;
#endif
  constexpr std::size_t kBytes = 400'000;
  std::string letters;
  for (char32_t c = 0x4E00; letters.size() < kBytes; c = c < 0x9000 ? c + 1 : 0x4E00)
    append_code_point(letters, c);
  // A ligature becomes 18 characters.
  const std::vector<std::pair<std::string, std::string>> hostile{
      {"one unknown letter", repeated("京", kBytes)},
      {"many unknown letters", letters},
      {"a known letter", repeated("e", kBytes)},
      {"unknown words", repeated("xqj ", kBytes)},
      {"unknown letters with spaces", repeated("京 ", kBytes)},
      {"spaces", repeated(" ", kBytes)},
      {"combining marks", repeated("\u0301", kBytes)},
      {"a letter with marks", "e" + repeated("\u0301\u0300", kBytes)},
      {"meta symbols", repeated("\u2581", kBytes)},
      {"tabs", repeated("\t", kBytes)},
      {"no text", repeated("\xFF", kBytes)},
      {"half characters", repeated("\xE4\xBA", kBytes)},
      {"ligatures", repeated("\uFDFA", kBytes / 10)},
      {"invisible characters", repeated("\u200B京", kBytes)},
      {"zero bytes", std::string(kBytes, '\0')}};
  for (const TokenizerUnderTest& t : small_tokenizers()) {
    for (const auto& [name, text] : hostile) {
      const std::clock_t begin = std::clock();
      t.tokenizer.encode(text);
      EXPECT_LT(std::clock() - begin, kSeconds * CLOCKS_PER_SEC) << t.name << ", " << name;
    }
  }
}

}  // namespace
}  // namespace attend
