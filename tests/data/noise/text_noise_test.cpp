#include "attend/data/noise/text_noise.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "attend/core/strings/unicode.h"
#include "attend/core/strings/utf8.h"

namespace attend {
namespace {

const std::string kSentence = "Über den Fluss fährt Anna, die Ärztin.";

template <class Noise>
std::set<std::string> some(const Noise& noise, const std::string& text, int count = 200) {
  std::set<std::string> all;
  Random random({1, 2});
  for (int i = 0; i < count; ++i) all.insert(noise(text, random));
  return all;
}

TEST(TextNoise, TyposChangeALetterOrTwo) {
  const auto all = some(with_typos, kSentence);
  EXPECT_GT(all.size(), 50U);
  const auto before = unicode::decode(kSentence);
  std::set<long> lengths;
  for (const std::string& text : all) {
    const auto after = unicode::decode(text);
    lengths.insert(static_cast<long>(after.size()) - static_cast<long>(before.size()));
    EXPECT_EQ(std::count(text.begin(), text.end(), ' '), 6) << text << ": words stay apart";
    EXPECT_EQ(text.back(), '.') << text;
  }
  EXPECT_EQ(lengths, (std::set<long>{-1, 0, 1}));
}

TEST(TextNoise, LongTextHasMoreTypos) {
  std::string words;
  for (int i = 0; i < 40; ++i) words += "lorem ";
  Random random({1, 2});
  const std::string noisy = with_typos(words, random);
  int changed = 0;
  for (const auto word : unicode::split(noisy)) changed += word == "lorem" ? 0 : 1;
  EXPECT_GE(changed, 2);
  EXPECT_LE(changed, 5);
}

TEST(TextNoise, CaseIsSmallCapitalOrThatOfTitles) {
  EXPECT_EQ(some(in_other_case, "Anna fährt."),
            (std::set<std::string>{"anna fährt.", "ANNA FÄHRT.", "Anna Fährt."}));
}

TEST(TextNoise, PunctuationIsLeftOutAtTheEndOrEverywhere) {
  EXPECT_EQ(some(without_punctuation, "Ja, gut, nein!"),
            (std::set<std::string>{"Ja, gut, nein", "Ja gut nein"}));
  EXPECT_EQ(some(without_punctuation, "Ja . "), (std::set<std::string>{"Ja", "Ja  "}));
}

TEST(TextNoise, AnyTextStaysText) {
  for (const std::string text : {"", " ", ".", "42", "日本語。", "a", "é̂", "\xF0\x9F\x98\x80!"})
    for (const std::string& noisy : some(with_noise, text, 50)) EXPECT_TRUE(is_utf8(noisy)) << text;
}

}  // namespace
}  // namespace attend
